import functions from '@azure/functions';
import { describe, expect, it } from 'vitest';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import { pauseBatch, resumeBatch } from '../../../shared/commands/pause.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { changeGate, readGate } from '../../../shared/gate/gate-store.ts';
import { pauseOverHttp, resumeOverHttp } from '../../../shared/http/batches/change-batch.ts';
import { batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { interposed } from '../../helpers/fakes/interposed.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { echo } from '../in-process/echo.ts';
import { DONE, did, ITEMS, MINUTE, RESULTS, unheard, useWorld } from '../in-process/use-world.ts';
import { downstream, itemsOf } from '../in-process/world.ts';

const DAY = 24 * 60 * MINUTE;
const use = useWorld();
const pause = (id: string) => pauseBatch(use.world.deps, id, { reason: 'look first' });
/** Ends the present pause. */
const resume = async (deps: FinalizeDeps, id: string) =>
  resumeBatch(deps, id, { since: (await use.world.batch(id)).paused?.at ?? '' });
const depths = () => Promise.all([ITEMS, RESULTS].map((queue) => use.world.deps.depthOf(queue)));

/** A paused batch. The first of its three chunks has run, and its queues are empty. */
async function halfDone(): Promise<string> {
  const { world } = use;
  const id = await unheard(world);
  await world.drainOne(ITEMS);
  await pause(id);
  await world.drainUnasked(ITEMS);
  await world.drainUnasked(RESULTS);
  world.topic.events.length = 0;
  return id;
}

describe('a batch that is paused', () => {
  it('runs nothing: its references are deleted, finished chunks count, and the drain of its queue ends', async () => {
    const { world } = use;
    const { id } = await world.submit(itemsOf(9));
    await pause(id);
    await world.drainAll();

    expect(await world.batch(id)).toMatchObject({ state: 'paused', succeeded: 0, chunksDone: 0 });
    expect((await readGate(world.deps.gate.table, ITEMS)).row).toMatchObject({ status: 'idle', depth: 0 });
    expect(await depths()).toEqual([0, 0]);

    expect(await resume(world.deps, id)).toEqual({ sent: 3, isWhole: true });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ ...DONE, duplicatesSeen: 0 });
    expect((await world.batch(id)).resumingAt).toBeUndefined();
  });

  it('is not changed by sweeps, and continues where it was after a resume', async () => {
    const { world } = use;
    const id = await halfDone();
    expect(await world.batch(id)).toMatchObject({ state: 'paused', succeeded: 3, chunksDone: 1 });
    world.wait(3 * 60 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({});
    expect(await depths()).toEqual([0, 0]);

    expect((await resume(world.deps, id)).sent).toBe(2);
    expect((await world.batch(id)).state).toBe('running');
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('gets the references of its retries when it is resumed, with their due times', async () => {
    const { world } = use;
    downstream.broken.add('b');
    const { id } = await world.submit(itemsOf(3).map((item) => ({ ...item, later: true })));
    await world.drainOne(ITEMS);
    await pause(id);
    await world.drainAll();
    await world.drainUnasked(RESULTS);
    expect(await world.batch(id)).toMatchObject({ state: 'paused', succeeded: 2, chunksTotal: 2, chunksDone: 1 });
    expect(await depths()).toEqual([0, 0]);
    expect((await resume(world.deps, id)).sent).toBe(1);
    await world.drainAll();

    // Invisible for an hour.
    expect(await depths()).toEqual([1, 0]);
    expect((await readGate(world.deps.gate.table, ITEMS)).row.due).toHaveLength(1);
    await cancelBatch(world.deps, id);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 2, cancelled: 1 });
    await world.clients.queue(ITEMS).clearMessages();
  });

  it('finishes if none of its chunks is pending', async () => {
    const { world } = use;
    const id = await unheard(world);
    await world.drainUnasked(ITEMS);
    await pause(id);
    await world.drainUnasked(RESULTS);

    expect(await world.batch(id)).toMatchObject(DONE);
    expect((await world.batch(id)).paused).toBeUndefined();
    await expect(resume(world.deps, id)).rejects.toMatchObject({ type: 'conflict' });
  });

  it('can be cancelled, but neither redriven nor deleted', async () => {
    const { world } = use;
    const id = await halfDone();
    await expect(redrive(world.deps, { batch: id, key: 'k', selection: {} })).rejects.toThrow(/is paused; resume or/);
    await expect(deleteBatch(world.deps, id)).rejects.toThrow(/is paused; cancel it/);

    expect(await cancelBatch(world.deps, id)).toMatchObject({ ended: { chunks: 2, items: 6 } });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 3, cancelled: 6 });
    expect((await world.batch(id)).paused).toBeUndefined();
  });

  it('is cancelled by the sweep one visibility timeout later if a drain of other batches holds the queue', async () => {
    const { world } = use;
    const id = await halfDone();
    const aliveUntil = new Date(world.deps.gate.now() + 60 * MINUTE).toISOString();
    await changeGate(world.deps.gate.table, ITEMS, () => ({ status: 'draining', aliveUntil }));
    expect(await cancelBatch(world.deps, id)).toMatchObject({ ended: { chunks: 0 }, left: { chunks: 2 } });
    world.wait(2 * MINUTE);

    expect((await sweep(world.deps)).cancelled).toBe(2);
    await changeGate(world.deps.gate.table, ITEMS, () => ({ status: 'idle' }));
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 3, cancelled: 6 });
  });

  it('is cancelled when it has been paused for as long as its workload keeps batches', async () => {
    const { world } = use;
    const id = await halfDone();
    world.wait(29 * DAY);
    expect((await sweep(world.deps)).cancelled).toBe(0);
    world.wait(2 * DAY);

    expect((await sweep(world.deps)).cancelled).toBe(1);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 3, cancelled: 6, announced: true });
  });
});

it('a batch with too many dead letters is paused by the rule of its workload, which counts from zero after a resume', async () => {
  const { world } = use;
  const registry = createRegistry([{ ...echo, halt: { deadShare: 0.2, after: 3 } }]);
  const halting = { ...world.deps, registry };
  downstream.broken.add('b');
  const id = await unheard(world);
  await world.drainOne(ITEMS);
  await world.collectAs(halting);
  const why = { by: 'halt', reason: expect.stringMatching(/^1 of 3 items .* most often: rejected: .*b is broken/) };
  expect(await world.batch(id)).toMatchObject({ state: 'paused', paused: why, dead: 1, chunksDone: 1 });
  await world.drainUnasked(ITEMS);
  expect(await depths()).toEqual([0, 0]);

  downstream.broken.clear();
  await resume(halting, id);
  await world.drainUnasked(ITEMS);
  await world.collectAs(halting);
  expect(await world.batch(id)).toMatchObject({ state: 'completedWithDeadLetters', succeeded: 8, dead: 1 });
});

it('a batch that was resumed is redriven, and paused and resumed again in its new revision', async () => {
  const { world } = use;
  downstream.broken.add('b');
  const { id } = await world.submit(itemsOf(9));
  await pause(id);
  await world.drainAll();
  await resume(world.deps, id);
  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ state: 'completedWithDeadLetters', succeeded: 6, dead: 3 });

  downstream.broken.clear();
  await redrive(world.deps, { batch: id, key: 'k', selection: {} });
  await pause(id);
  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ state: 'paused', revision: 1, dead: 0 });
  expect((await resume(world.deps, id)).sent).toBe(1);
  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 9, dead: 0, resumes: 2 });
});

describe('a resume that is interrupted', () => {
  // State, event, three references.
  it.each([1, 2, 3, 4, 5])('at write %i is continued by the sweep', async (at) => {
    const { world } = use;
    const { id } = await world.submit(itemsOf(9));
    await pause(id);
    await world.drainAll();
    await resume(dyingAt(world.deps, at), id).catch(() => undefined);
    world.topic.events.length = 0;
    expect((await world.batch(id)).resumingAt).toBeDefined();
    expect((await sweep(world.deps)).resent).toBe(0);
    world.wait(3 * MINUTE);

    expect((await sweep(world.deps)).resent).toBe(3);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('is continued when it is requested again', async () => {
    const { world } = use;
    const { id } = await world.submit(itemsOf(9));
    await pause(id);
    await world.drainAll();
    await resume(dyingAt(world.deps, 1), id).catch(() => undefined);

    expect((await resume(world.deps, id)).isWhole).toBe(true);
    await expect(resume(world.deps, id)).rejects.toMatchObject({ type: 'conflict' });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });
});

it('a resume that was delayed leaves the mark of a later one that was interrupted, which the sweep continues', async () => {
  const { world } = use;
  const { id } = await world.submit(itemsOf(9));
  await pause(id);
  await world.drainAll();
  const meanwhile = async () => {
    await pause(id);
    await resume(dyingAt(world.deps, 1), id).catch(() => undefined);
  };

  await resume(interposed(world.deps, 'sendMessage', meanwhile), id);

  world.wait(3 * MINUTE);
  expect((await sweep(world.deps)).resent).toBe(3);
  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ ...DONE, resumes: 2 });
});

describe('a pause with an end', () => {
  it('is ended by the first sweep after it, and not before', async () => {
    const { world } = use;
    const { id } = await world.submit(itemsOf(9));
    await pauseBatch(world.deps, id, { forSeconds: 600 });
    await world.drainAll();
    world.wait(9 * MINUTE);
    expect((await sweep(world.deps)).resent).toBe(0);
    world.wait(2 * MINUTE);

    expect((await sweep(world.deps)).resent).toBe(3);

    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ ...DONE, resumes: 1 });
  });
});

describe('over HTTP', () => {
  const ask = async (handler: typeof pauseOverHttp, id: string, body?: string) => {
    const url = `http://localhost/api/batches/${id}`;
    const sent = body === undefined ? {} : { body: { string: body } };
    const request = new functions.HttpRequest({ url, method: 'POST', params: { id }, ...sent });
    const { status, jsonBody } = await handler({ deps: use.world.deps, basis: BASIS }, request);
    return { status: status ?? 200, batch: batchViewSchema.parse(JSON.parse(JSON.stringify(jsonBody))) };
  };

  it('a batch contains the reason of its pause, and repeats change nothing', async () => {
    const { world } = use;
    const id = await unheard(world);
    const first = await ask(pauseOverHttp, id, '{"reason":"wrong file"}');
    expect(first).toMatchObject({ status: 200, batch: { state: 'paused' } });
    expect(first.batch).not.toHaveProperty('estimate');
    expect(first.batch.paused).toMatchObject({ by: 'operator', reason: 'wrong file' });
    expect((await ask(pauseOverHttp, id)).batch.paused).toEqual(first.batch.paused);

    const since = first.batch.paused?.since;
    const resumed = await ask(resumeOverHttp, id, JSON.stringify({ since }));
    expect(resumed).toMatchObject({ status: 200, batch: { state: 'queued' } });
    expect(resumed.batch.paused).toBeUndefined();
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
    await expect(ask(pauseOverHttp, id)).rejects.toMatchObject({ type: 'conflict' });
  });
});
