import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { cancelBatch, cancelPending } from '../../../shared/commands/cancel.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { changeGate } from '../../../shared/wake/gate/gate.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { echo } from '../in-process/echo.ts';
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
  it('ends what has not run, and keeps what has', async () => {
    const id = await quiet(9);
    await world.drainOne('echo-normal-0');
    const { row, ended, left } = await cancelBatch(world.deps, id);
    expect(row.state).toBe('cancelling');
    // The chunk that ran is pending still: its outcome was written first, and is published again.
    expect([ended, left]).toEqual([
      { chunks: 3, items: 9 },
      { chunks: 0, items: 0 },
    ]);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 3, cancelled: 6, dead: 0 });
    expect(await world.report(id, 0)).toMatchObject({ a: { items: 1 }, b: { items: 1 }, c: { items: 1 } });
    // The references that are left find the batch finished.
    await world.drainUnasked('echo-normal-0');
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 6, duplicatesSeen: 0 + 1 });
  });

  it('is harmless when repeated, and refused for a batch that ended otherwise', async () => {
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

  it('takes retries that wait, and those that come of what was running', async () => {
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
    // Ran before the cancel, collected after it.
    await world.drainUnasked('echo-normal-0');
    await cancelBatch(world.deps, second.id);
    await world.drainAll();
    expect(await world.batch(second.id)).toMatchObject({ state: 'cancelled', succeeded: 4, cancelled: 2, retried: 2 });
  });

  it('leaves a batch of which everything is done to its own end', async () => {
    const id = await quiet(6);
    await world.drainUnasked('echo-normal-0');
    expect((await cancelBatch(world.deps, id)).row.state).toBe('cancelling');
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 6, cancelled: 0 });
  });

  it('is refused, and changes nothing, where its workload is not deployed any more', async () => {
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

  it('has the batch pay for the next drain of each queue in which its references are left', async () => {
    const spread = { ...world.deps, registry: createRegistry([{ ...echo, queuesPerLane: 2 }]) };
    const { id } = await world.submit(itemsOf(9), { deps: spread });
    world.topic.events.length = 0;
    await cancelBatch(spread, id);
    await world.drainAll();

    const { drains = {} } = await world.batch(id);

    expect(
      Object.keys(drains)
        .filter((queue) => queue !== 'echo-results')
        .sort(),
    ).toEqual([QUEUE, 'echo-normal-1']);
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9 });
  });

  it('is bounded, and gone on with by the sweep', async () => {
    const id = await quiet(15);
    const { row } = await cancelBatch({ ...world.deps, registry: world.deps.registry }, id);
    expect(await cancelPending(world.deps, row, 2)).toEqual({ chunks: 2, items: 6 });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 15 });
  });

  it('cancels a redrive too, and the batch can be redriven after it', async () => {
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

/** As if a drain held the gate of the queue, and perhaps ran a chunk of it. */
const hold = (status: 'draining' | 'idle') => changeGate(world.deps.gate.table, QUEUE, () => ({ status }));

describe('a cancel while a drain holds the queue', () => {
  afterEach(() => hold('idle'));

  it('leaves the chunks to the workers, which cancel those that they meet, and wakes the queue for them', async () => {
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

  it('ends what nobody can run before its time: retries that are due later than any slice of now', async () => {
    downstream.broken.add('b');
    const { id } = await world.submit(itemsOf(6).map((item) => ({ ...item, later: true })));
    await world.drainAll();
    await hold('draining');
    expect(await cancelBatch(world.deps, id)).toMatchObject({ ended: { chunks: 2, items: 2 }, left: { chunks: 0 } });
    await hold('idle');
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 4, cancelled: 2 });
  });

  it('is gone on with by the sweep one visibility timeout later, for who ran a chunk then has stopped it', async () => {
    const id = await quiet(9);
    await hold('draining');
    await cancelBatch(world.deps, id);
    // A drain that is alive: of this generation, and heard of until much later.
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

describe('a cancel that meets an unfinished intake', () => {
  it.each([5, 6, 7])('after its write %i is not undone by it, and misses no row', async (at) => {
    const process = { writes: 0, dead: false };
    // 120 chunks: more than the accepting transaction takes.
    const submitted = world.submit(itemsOf(360), { deps: dyingAt(world.deps, at, process) });
    const { id } = await submitted;
    expect((await world.batch(id)).state).toBe('accepting');
    await cancelBatch(world.deps, id);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 360, chunksTotal: 120 });
  });
});

describe('a cancel that is interrupted', () => {
  // State, three outcomes, result message, wake.
  it.each([1, 2, 3, 4, 5, 6])('at write %i is gone on with by the sweep', async (at) => {
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
