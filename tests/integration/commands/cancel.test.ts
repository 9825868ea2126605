import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch, chunkRows, MAX_CHUNK_ROWS_PER_TRANSACTION } from '../../../shared/batches/ledger.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { changeGate } from '../../../shared/gate/gate-store.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { downstream, itemsOf, startWorld, type World } from '../in-process/world.ts';

const MINUTE = 60_000;
const QUEUE = 'echo-normal-0';
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
afterEach(() => {
  downstream.broken.clear();
});

/** Submits a batch and drops its wake: nothing runs until the test drains the queue. */
async function quiet(count: number): Promise<string> {
  const { id } = await world.submit(itemsOf(count));
  world.topic.events.length = 0;
  return id;
}

describe('a cancel', () => {
  it('cancels items that have not run, and keeps the results of those that have', async () => {
    const id = await quiet(9);
    await world.drainOne('echo-normal-0');
    const { row, ended, left } = await cancelBatch(world.deps, id);
    expect(row.state).toBe('cancelling');
    // The chunk that has run is still pending: its outcome was written first, and is published again.
    expect([ended, left]).toEqual([
      { chunks: 3, items: 9 },
      { chunks: 0, items: 0 },
    ]);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 3, cancelled: 6, dead: 0 });
    expect(await world.report(id, 0)).toMatchObject({ a: { items: 1 }, b: { items: 1 }, c: { items: 1 } });
    // The remaining references belong to a finished batch.
    await world.drainUnasked('echo-normal-0');
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 6, duplicatesSeen: 0 + 1 });
  });

  it('may be repeated, and is refused for a batch that ended in another way', async () => {
    const id = await quiet(6);
    await cancelBatch(world.deps, id);
    await cancelBatch(world.deps, id);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 6, succeeded: 0 });
    expect(await cancelBatch(world.deps, id)).toMatchObject({ row: { state: 'cancelled' }, ended: { chunks: 0 } });
    const done = await world.submit(itemsOf(3));
    await world.drainAll();
    await expect(cancelBatch(world.deps, done.id)).rejects.toMatchObject({ type: 'conflict' });
  });

  it('cancels waiting retries, and retries of chunks that were running', async () => {
    downstream.broken.add('b');
    const later = itemsOf(6).map((item) => ({ ...item, later: true }));
    const { id } = await world.submit(later);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'running', succeeded: 4, chunksTotal: 4, chunksDone: 2 });
    await cancelBatch(world.deps, id);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 4, cancelled: 2 });

    const second = await world.submit(later);
    world.topic.events.length = 0;
    // Run before the cancel, collected after it.
    await world.drainUnasked('echo-normal-0');
    await cancelBatch(world.deps, second.id);
    await world.drainAll();
    expect(await world.batch(second.id)).toMatchObject({ state: 'cancelled', succeeded: 4, cancelled: 2, retried: 2 });
  });

  it('leaves a batch whose items are all done to its own end', async () => {
    const id = await quiet(6);
    await world.drainUnasked('echo-normal-0');
    expect((await cancelBatch(world.deps, id)).row.state).toBe('cancelling');
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 6, cancelled: 0 });
  });

  it('is refused, and changes nothing, if its workload is no longer deployed', async () => {
    const id = await quiet(9);
    const before = await world.batch(id);
    const without = { ...world.deps, registry: createRegistry([]) };
    const refusal = { type: 'conflict', message: 'Workload "echo" is not deployed any more.' };

    await expect(cancelBatch(without, id)).rejects.toMatchObject(refusal);

    expect(await world.batch(id)).toEqual(before);
    await cancelBatch(world.deps, id);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9 });
    await expect(cancelBatch(without, id)).resolves.toMatchObject({ row: { state: 'cancelled' } });
  });

  it('ends a limited number of chunks, and the workers that it wakes cancel the rest', async () => {
    const id = await quiet(15);
    expect(await cancelBatch(world.deps, id, { limit: 2 })).toMatchObject({
      ended: { chunks: 2, items: 6 },
      left: { chunks: 3, items: 9 },
    });
    expect(world.topic.events.map(({ queue }) => queue)).toEqual(['echo-results', QUEUE]);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 15 });
  });

  it('stores its state and ends no chunk when its time is up', async () => {
    const id = await quiet(15);
    expect(await cancelBatch(world.deps, id, { isOver: () => true })).toMatchObject({
      row: { state: 'cancelling' },
      ...{ ended: { chunks: 0 }, left: { chunks: 5 } },
    });
    world.wait(20 * MINUTE);
    expect((await sweep(world.deps)).cancelled).toBe(5);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 15 });
  });

  it('is refused for a large batch while it is accepted, whose rows would take too long', async () => {
    const id = await quiet(3);
    await changeBatch(world.clients.batches, id, () => ({ state: 'enqueueing', chunksTotal: 20_001 }));
    await expect(cancelBatch(world.deps, id)).rejects.toMatchObject({ type: 'conflict' });
    await changeBatch(world.clients.batches, id, () => ({ state: 'queued', chunksTotal: 1 }));
    await cancelBatch(world.deps, id);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 3 });
  });

  it('also cancels a redrive, and the batch can be redriven again', async () => {
    downstream.broken.add('b');
    const { id } = await world.submit(itemsOf(9));
    await world.drainAll();
    await redrive(world.deps, { batch: id, key: 'one', selection: { items: [1] } });
    world.topic.events.length = 0;
    await cancelBatch(world.deps, id);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 6, dead: 2, cancelled: 1 });
    downstream.broken.clear();
    await redrive(world.deps, { batch: id, key: 'two', selection: {} });
    await world.drainAll();
    expect((await world.batch(id)).cancellingAt).toBeUndefined();
    expect(await world.batch(id)).toMatchObject({
      state: 'cancelled',
      succeeded: 8,
      dead: 0,
      cancelled: 1,
      revision: 2,
    });
  });
});

/** Simulates a drain that holds the gate of the queue and may be running a chunk of it. */
const hold = (status: 'draining' | 'idle') => changeGate(world.deps.gate.table, QUEUE, () => ({ status }));

describe('a cancel while a drain holds the queue', () => {
  afterEach(() => hold('idle'));

  it('leaves the chunks to the workers, which cancel those that they receive, and wakes the queue', async () => {
    const id = await quiet(9);
    await hold('draining');
    expect(await cancelBatch(world.deps, id)).toMatchObject({ ended: { chunks: 0 }, left: { chunks: 3, items: 9 } });
    expect(world.topic.events).toMatchObject([{ type: 'QueueWorkDetected', queue: QUEUE, items: 0, payloadBytes: 0 }]);
    expect(await world.batch(id)).toMatchObject({ state: 'cancelling', cancelled: 0 });
    await world.drainUnasked(QUEUE);
    await hold('idle');
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9, duplicatesSeen: 0 });
  });

  it('ends chunks that no worker can run yet: retries that are due later than any present slice', async () => {
    downstream.broken.add('b');
    const { id } = await world.submit(itemsOf(6).map((item) => ({ ...item, later: true })));
    await world.drainAll();
    await hold('draining');
    expect(await cancelBatch(world.deps, id)).toMatchObject({ ended: { chunks: 2, items: 2 }, left: { chunks: 0 } });
    await hold('idle');
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 4, cancelled: 2 });
  });

  it('is continued by the sweep one visibility timeout later, when every worker has stopped its chunk', async () => {
    const id = await quiet(9);
    await hold('draining');
    await cancelBatch(world.deps, id);
    // A live drain of this generation, with a heartbeat far in the future.
    const aliveUntil = new Date(world.deps.gate.now() + 60 * MINUTE).toISOString();
    await changeGate(world.deps.gate.table, QUEUE, () => ({ aliveUntil }));
    world.topic.events.length = 0;
    const cancellingAt = new Date(world.deps.gate.now() + 2 * MINUTE).toISOString();
    await changeBatch(world.clients.batches, id, () => ({ cancellingAt }));
    world.wait(2 * MINUTE);
    expect((await sweep(world.deps)).cancelled).toBe(0);
    world.wait(2 * MINUTE);
    expect((await sweep(world.deps)).cancelled).toBe(3);
    await hold('idle');
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9, announced: true });
  });
});

/** The write of an intake that accepts its batch: after the payload and the row `open`. */
const ACCEPTED_AT = 3;
/** More chunks than the accepting transaction can insert. */
const MANY = MAX_CHUNK_ROWS_PER_TRANSACTION + 22;

/** Submits a batch in a process that dies at a write after the batch was accepted; returns its id and its number of rows. */
async function dyingIntake(at: number): Promise<{ id: string; rows: number }> {
  await world.submit(itemsOf(3 * MANY), { deps: dyingAt(world.deps, at) }).catch(() => undefined);
  world.topic.events.length = 0;
  const [id = ''] = await world.openIds();
  expect((await world.batch(id)).state).toBe('enqueueing');
  let rows = 0;
  for await (const _ of chunkRows(world.clients.batches, id)) rows += 1;
  return { id, rows };
}

describe('a cancel during an unfinished intake', () => {
  it.each([
    { at: ACCEPTED_AT, present: MAX_CHUNK_ROWS_PER_TRANSACTION },
    { at: ACCEPTED_AT + 1, present: MANY },
    { at: ACCEPTED_AT + 2, present: MANY },
  ])('after write $at of the intake, with $present rows, ends the whole batch', async ({ at, present }) => {
    const { id, rows } = await dyingIntake(at);
    expect(rows).toBe(present);

    await cancelBatch(world.deps, id);

    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 3 * MANY, chunksTotal: MANY });
  });
});

it('a cancel ends a batch without pending chunks immediately: that of a discard whose process died', async () => {
  const id = await world.submitWithDead('b');
  const selection = { discard: 'test orders' };
  // Selection, row `open`, and the transaction that opens the revision.
  await redrive(dyingAt(world.deps, 3), { batch: id, key: 'd', selection }).catch(() => undefined);
  expect(await world.batch(id)).toMatchObject({ state: 'running', revision: 1, discarded: 3 });

  await cancelBatch(world.deps, id);

  expect(await world.batch(id)).toMatchObject({ state: 'completed', discarded: 3, announced: true });
});

describe('a cancel that is interrupted', () => {
  // State, three outcomes, result message, wake.
  it.each([1, 2, 3, 4, 5, 6])('at write %i is continued by the sweep', async (at) => {
    const id = await quiet(9);
    await cancelBatch(dyingAt(world.deps, at), id).catch(() => undefined);
    world.topic.events.length = 0;
    expect((await world.batch(id)).state).toBe('cancelling');
    world.wait(3 * MINUTE);
    expect((await sweep(world.deps)).cancelled).toBe(3);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9, announced: true });
  });
});
