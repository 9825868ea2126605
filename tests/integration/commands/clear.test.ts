import { RestError } from '@azure/storage-queue';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { clearPoisonQueue } from '../../../shared/commands/clear-poison-queue.ts';
import type { ClearDeps } from '../../../shared/commands/clear-queue.ts';
import { pauseBatch } from '../../../shared/commands/pause.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { changeGate, readGate } from '../../../shared/gate/gate-store.ts';
import { clearOverHttp } from '../../../shared/http/queues/change-queue.ts';
import { clearedQueueSchema } from '../../../shared/http/queues/schemas.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { dyingAt, type Process } from '../../helpers/fakes/crashes.ts';
import { call } from '../api/call.ts';
import { echo } from '../in-process/echo.ts';
import { DONE, ITEMS, MINUTE, RESULTS, useWorld } from '../in-process/use-world.ts';
import { downstream, itemsOf } from '../in-process/world.ts';

const POISON = 'echo-poison';
const use = useWorld();
const deps = () => use.world.pipeline.requestDeps(use.world.runtime.client);
const gateOf = () => use.world.deps.gate;
const pause = (queue = ITEMS) =>
  changeGate(gateOf().table, queue, () => ({ paused: { by: 'operator', reason: 'clear', since: '' } }));
const resume = async () => {
  await changeGate(gateOf().table, ITEMS, () => ({ paused: undefined }));
  await wake(gateOf(), ITEMS);
};
const depth = (queue = ITEMS) => use.world.deps.depthOf(queue);
const put = (text: string, queue = ITEMS) => use.world.clients.queue(queue).sendMessage(text);

const post = (queue: string, confirm = queue, own: ClearDeps = deps()) =>
  call((request) => clearOverHttp(own, request), `queues/${queue}/clear`, {
    ...{ method: 'POST', params: { queue }, body: JSON.stringify({ confirm }) },
  });
const clear = async (queue = ITEMS, own?: ClearDeps) =>
  clearedQueueSchema.parse((await post(queue, queue, own)).json());

/** Accepts and enqueues a batch in a paused queue. */
async function waiting(count: number): Promise<string> {
  await pause();
  const { id } = await use.world.submit(itemsOf(count));
  use.world.topic.events.length = 0;
  return id;
}

describe('clearing a queue', () => {
  it('cancels the waiting items, stores an outcome of every item, and deletes the messages', async () => {
    const { world } = use;
    const ids = [await waiting(9), await waiting(6)];
    const held = await waiting(3);
    await pauseBatch(world.deps, held, { reason: 'look first' });
    expect(await clear()).toEqual({ queue: ITEMS, batches: 3, messages: 6, left: 0 });
    expect([await depth(), (await readGate(gateOf().table, ITEMS)).row.depth]).toEqual([0, 0]);

    await world.drainAll();
    for (const [n, id] of [...ids, held].entries())
      expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 0, cancelled: [9, 6, 3][n] });
    expect(await clear()).toEqual({ queue: ITEMS, batches: 0, messages: 0, left: 0 });
  });

  it('keeps finished items of a batch, and cancels its waiting retries', async () => {
    const { world } = use;
    downstream.broken.add('b');
    const { id } = await world.submit(itemsOf(6).map((item) => ({ ...item, later: true })));
    await world.drainAll();
    await pause();
    // Invisible for an hour: they cannot be received, and no batch needs them.
    expect([await depth(), await clear()]).toEqual([2, { queue: ITEMS, batches: 1, messages: 0, left: 0 }]);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 4, cancelled: 2 });
    await world.clients.queue(ITEMS).clearMessages();
  });

  it('leaves the references of a batch that is too large for one request to the next request or the workers', async () => {
    const { world } = use;
    const id = await waiting(12);
    const own: ClearDeps = { ...deps(), maxChunks: 2 };
    expect(await clear(ITEMS, own)).toEqual({ queue: ITEMS, batches: 1, messages: 0, left: 4 });
    expect(await world.batch(id)).toMatchObject({ state: 'cancelling' });

    // Without a sweep.
    await resume();
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 0, cancelled: 12 });
  });

  it('leaves a batch that is accepted in the meantime, which completes normally', async () => {
    const { world } = use;
    const id = await waiting(9);
    let late = '';
    // After the batches were listed, when the first of them has been cancelled.
    const own: ClearDeps = {
      ...deps(),
      publish: async (...event) => {
        late ||= (await world.submit(itemsOf(9))).id;
        await world.deps.publish(...event);
      },
    };
    expect(await clear(ITEMS, own)).toEqual({ queue: ITEMS, batches: 1, messages: 3, left: 3 });
    // Visible and marked: a second delivery is no evidence that a process died.
    const { peekedMessageItems } = await world.clients.queue(ITEMS).peekMessages({ numberOfMessages: 32 });
    expect(peekedMessageItems.map(({ messageText }) => JSON.parse(messageText).returned)).toEqual([1, 1, 1]);
    await resume();
    await world.drainAll();
    expect(await world.batch(late)).toMatchObject(DONE);
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9 });
  });

  it('leaves a batch that is being accepted, and the references that it already has', async () => {
    const { world } = use;
    await pause();
    // Dies after its second reference.
    const { id } = await world.submit(itemsOf(9), { deps: dyingAt(world.deps, 7) });
    expect((await world.batch(id)).state).toBe('enqueueing');
    const before = await depth();
    expect(before).toBeGreaterThan(0);
    expect(await clear()).toEqual({ queue: ITEMS, batches: 0, messages: 0, left: before });
    world.wait(3 * MINUTE);
    await sweep(world.deps);
    expect((await world.batch(id)).state).toBe('queued');
    expect(await clear()).toMatchObject({ batches: 1, left: 0 });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9 });
  });

  it('deletes messages without a batch, and unreadable messages', async () => {
    const { world } = use;
    const { id } = await world.submit(itemsOf(3));
    const [message] = (await world.clients.queue(ITEMS).peekMessages()).peekedMessageItems;
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completed' });
    await pause();
    const text = message?.messageText ?? '';
    for (const each of [text, text.replaceAll(id, '01985a00-0000-7000-8000-000000000000'), 'hello', '{"v":9}'])
      await put(each);
    expect(await clear()).toEqual({ queue: ITEMS, batches: 0, messages: 4, left: 0 });
    expect(await depth()).toBe(0);
  });

  it('cancels no batch whose chunks are all in another queue of the lane, and the whole batch if some are in this queue', async () => {
    const { world } = use;
    const own = { ...deps(), registry: createRegistry([{ ...echo, queuesPerLane: 2 }]) };
    // In the first queue, as if its id had this offset.
    const { id: small } = await world.submit(itemsOf(3));
    await changeBatch(world.deps.table, small, () => ({ queueOffset: 0 }));
    const { id: wide } = await world.submit(itemsOf(6), { deps: { ...world.deps, registry: own.registry } });
    await pause('echo-normal-1');
    expect(await clear('echo-normal-1', own)).toEqual({ queue: 'echo-normal-1', batches: 1, messages: 1, left: 0 });
    expect(await depth()).toBe(2);
    world.topic.events.length = 0;
    await wake(gateOf(), ITEMS);
    await wake(gateOf(), RESULTS);
    await world.drainAll();
    expect(await world.batch(small)).toMatchObject({ state: 'completed', succeeded: 3 });
    expect(await world.batch(wide)).toMatchObject({ state: 'cancelled', cancelled: 6 });
  });

  it('reports what is left when its time is up, and continues when it is repeated', async () => {
    const { world } = use;
    const ids = [await waiting(3), await waiting(3)];
    // The clock jumps beyond the budget at the first change of a batch.
    const publish: ClearDeps['publish'] = async (...event) => {
      world.wait(2 * MINUTE);
      await world.deps.publish(...event);
    };
    expect(await clear(ITEMS, { ...deps(), publish })).toEqual({ queue: ITEMS, batches: 1, messages: 0, left: 2 });
    expect(await clear()).toEqual({ queue: ITEMS, batches: 1, messages: 2, left: 0 });
    await world.drainAll();
    for (const id of ids) expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 3 });
  });

  // The writes: state of the first batch, its result message, state of the second.
  it.each([1, 5, 7])('continues after a crash at its write %i when it is repeated', async (at) => {
    const { world } = use;
    const ids = [await waiting(9), await waiting(3)];
    const process: Process = { writes: 0, dead: false };
    await post(ITEMS, ITEMS, dyingAt(deps(), at, process));
    expect(process.dead).toBe(true);
    for (const id of ids) await world.batch(id);
    // The messages that the dead process had received become visible again.
    await world.drainAll();
    expect((await clear()).left).toBe(0);
    await world.drainAll();
    await wake(gateOf(), RESULTS);
    await world.drainAll();
    for (const [n, id] of ids.entries())
      expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: [9, 3][n], announced: true });
    await world.clients.queue(ITEMS).clearMessages();
  });

  it('is completed by the sweep after a crash between cancel and deletion', async () => {
    const { world } = use;
    const id = await waiting(9);
    await post(ITEMS, ITEMS, dyingAt(deps(), 1));
    world.wait(3 * MINUTE);
    await sweep(world.deps);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'cancelled', cancelled: 9 });
    // The references belong to a finished batch: they are cleared, or deleted by the worker that receives them.
    expect(await clear()).toEqual({ queue: ITEMS, batches: 0, messages: 3, left: 0 });
  });
});

describe('a poison queue', () => {
  afterEach(() => use.world.clients.queue(POISON).deleteIfExists());

  it('is emptied without a pause', async () => {
    expect(await clear(POISON)).toEqual({ queue: POISON, batches: 0, messages: 0, left: 0 });
    await use.world.clients.queue(POISON).create();
    for (const text of ['a', 'b']) await put(text, POISON);
    expect(await clear(POISON)).toEqual({ queue: POISON, batches: 0, messages: 2, left: 0 });
    expect(await depth(POISON)).toBe(0);
  });

  it('is cleared again while the service times out, as long as there is time', async () => {
    const timedOut = new RestError('Operation could not be completed within the specified time.', {
      ...{ code: 'OperationTimedOut', statusCode: 500 },
    });
    const clearMessages = vi.fn().mockRejectedValueOnce(timedOut).mockRejectedValueOnce(timedOut).mockResolvedValue({});
    const own = {
      ...deps(),
      queues: () => ({ clearMessages }),
      depthOf: async () => 900,
    } as unknown as ClearDeps;
    expect(await clearPoisonQueue(own, POISON, own.gate.now() + MINUTE)).toMatchObject({ messages: 900, left: 0 });
    expect(clearMessages).toHaveBeenCalledTimes(3);

    clearMessages.mockReset().mockRejectedValue(timedOut);
    expect(await clearPoisonQueue(own, POISON, own.gate.now())).toMatchObject({ messages: 0, left: 900 });
  });
});

describe('a queue is not cleared', () => {
  it.each([
    ['that nobody has paused', undefined, 'is not paused by an operator'],
    [
      'that the circuit has paused',
      { by: 'circuit' as const, status: 'idle' as const },
      'is not paused by an operator',
    ],
    ['whose drain has not ended', { by: 'operator' as const, status: 'draining' as const }, 'ends after its wave'],
  ])('%s', async (_what, held, reason) => {
    const { world } = use;
    const { id } = await world.submit(itemsOf(3));
    if (held)
      await changeGate(gateOf().table, ITEMS, () => ({
        ...{ status: held.status, paused: { by: held.by, reason: 'r', since: '' } },
      }));
    const answer = await post(ITEMS);
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining(reason)]);
    expect([await depth(), (await world.batch(id)).state]).toEqual([1, 'queued']);
    await changeGate(gateOf().table, ITEMS, () => ({ status: 'idle', paused: undefined }));
    await cancelBatch(world.deps, id);
    await world.drainAll();
  });

  it.each([
    [RESULTS, RESULTS, 409, 'outcomes of finished work'],
    ['echo-normal-7', 'echo-normal-7', 404, 'There is no queue'],
    ['other-poison', 'other-poison', 404, 'There is no queue'],
    [ITEMS, 'echo-normal', 400, `confirm must be \\"${ITEMS}\\"`],
    [POISON, '', 400, 'confirm must be'],
  ])('%s, confirmed as "%s": %i', async (queue, confirm, status, detail) => {
    await pause(RESULTS);
    const answer = await post(queue, confirm);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(detail)]);
  });
});
