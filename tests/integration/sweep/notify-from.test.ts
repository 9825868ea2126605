import { describe, expect, it } from 'vitest';
import { createOpenBatchReader } from '../../../shared/batches/watch/read-open-batches.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import { createNeedsWake } from '../../../shared/gate/notify-from.ts';
import { DEFAULT_POLICY, type Policy } from '../../../shared/gate/policy.ts';
import { writePolicy } from '../../../shared/gate/policy-store.ts';
import { drainNow, pauseQueue, resumeQueue } from '../../../shared/http/queues/change-queue.ts';
import { listQueues } from '../../../shared/http/queues/list-queues.ts';
import type { QueueView } from '../../../shared/http/queues/schemas.ts';
import { createDepths } from '../../../shared/queues/depths.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { measure } from '../../helpers/measure.ts';
import { call } from '../api/call.ts';
import { DONE, did, ITEMS, MINUTE, RESULTS, useWorld } from '../in-process/use-world.ts';
import { downstream, itemsOf, type World } from '../in-process/world.ts';

const use = useWorld();

const setPolicy = ({ clients }: World, fields: Partial<Policy>): Promise<unknown> =>
  writePolicy(clients.gates, ITEMS, { policy: { ...DEFAULT_POLICY, ...fields } });

/** The dependencies of a process that has not read the policies yet. */
const freshDeps = ({ deps, clients }: World): World['deps'] => {
  const { depthOf } = deps;
  return { ...deps, needsWake: createNeedsWake({ table: clients.gates, depthOf, nowMs: () => 0 }) };
};

const queuesToWake = ({ topic }: World): string[] =>
  topic.events.filter(({ type }) => type === 'QueueWorkDetected').map(({ queue }) => queue);

describe('notifyFrom', () => {
  it('makes uploads publish a wake event only from this depth on', async () => {
    const { world } = use;
    await setPolicy(world, { notifyFrom: 6 });
    const deps = freshDeps(world);
    // Nine items are three messages.
    const first = await world.submit(itemsOf(9), { deps });
    expect(queuesToWake(world)).toEqual([]);
    const second = await world.submit(itemsOf(9), { deps });
    expect(queuesToWake(world)).toEqual([ITEMS]);
    const third = await world.submit(itemsOf(3), { deps });
    expect(queuesToWake(world)).toEqual([ITEMS, ITEMS]);
    await world.drainAll();
    for (const { id } of [first, second]) expect(await world.batch(id)).toMatchObject(DONE);
    expect((await world.batch(third.id)).state).toBe('completed');
  });

  it('is reached by at least one of several uploads at the same time', async () => {
    const { world } = use;
    await setPolicy(world, { notifyFrom: 6 });
    const deps = freshDeps(world);
    const batches = await Promise.all([world.submit(itemsOf(9), { deps }), world.submit(itemsOf(9), { deps })]);
    expect(queuesToWake(world)).toContain(ITEMS);
    await world.drainAll();
    for (const { id } of batches) expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('costs an upload one measurement instead of the event, and an upload without it one query per minute', async () => {
    const { world } = use;
    const { meter } = world.clients;
    const cost = async (deps: World['deps']) =>
      (await measure(meter, () => world.submit(itemsOf(9), { deps }))).operations;
    const plain = await cost({ ...world.deps, needsWake: async () => true });
    expect([plain['table.query'], plain['queue.properties']]).toEqual([undefined, undefined]);
    // One query in five begins with an empty page, which costs one more operation; that happens to at most one of two
    // processes.
    const [one, other] = [freshDeps(world), freshDeps(world)];
    const [first, second] = [await cost(one), await cost(other)];
    const queries = Math.min(first['table.query'] ?? 0, second['table.query'] ?? 0);
    expect([{ ...first, 'table.query': queries }, queries]).toEqual([{ ...plain, 'table.query': 1 }, 1]);
    expect(await cost(one)).toEqual(plain);
    await setPolicy(world, { notifyFrom: 100 });
    const limited = freshDeps(world);
    await cost(limited);
    const { 'servicebus.send': sent, ...withoutEvent } = plain;
    expect(sent).toBe(1);
    expect(await cost(limited)).toEqual({ ...withoutEvent, 'queue.properties': 1 });
    await world.drainAll();
  });

  it('does not delay results or a redrive', async () => {
    const { world } = use;
    await setPolicy(world, { notifyFrom: 1_000 });
    const deps = freshDeps(world);
    downstream.broken.add('a');
    const { id } = await world.submit(itemsOf(3), { deps });
    expect(queuesToWake(world)).toEqual([]);
    await world.drainUnasked(ITEMS);
    expect(queuesToWake(world)).toEqual([RESULTS]);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completedWithDeadLetters', dead: 1 });
    downstream.broken.clear();
    await redrive(deps, { batch: id, key: 'k', selection: {} });
    expect(queuesToWake(world)).toEqual([ITEMS]);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completed', dead: 0 });
  });

  it('leaves a queue below it to the sweep, which counts no missed wake', async () => {
    const { world } = use;
    await setPolicy(world, { notifyFrom: 4 });
    const { id } = await world.submit(itemsOf(9), { deps: freshDeps(world) });
    expect(did(await sweep(world.deps))).toEqual({});
    world.wait(2 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ wokenByTimer: 1 });
    expect((await readGate(world.clients.gates, ITEMS)).row.missedWakes).toBe(0);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });

  it('does not hide a lost wake if the depth was reached', async () => {
    const { world } = use;
    await setPolicy(world, { notifyFrom: 3 });
    await world.submit(itemsOf(9), { deps: freshDeps(world) });
    world.topic.events.length = 0;
    world.wait(2 * MINUTE);
    expect(did(await sweep(world.deps))).toEqual({ missedWakes: 1 });
    await world.drainAll();
  });

  it('does not delay an intake that the sweep completes', async () => {
    const { world } = use;
    await setPolicy(world, { notifyFrom: 1_000 });
    const deps = freshDeps(world);
    const needsWake = async (): Promise<boolean> => Promise.reject(new Error('This process dies here.'));
    const { id } = await world.submit(itemsOf(9), { deps: { ...deps, needsWake } });
    world.wait(3 * MINUTE);
    expect(did(await sweep(deps))).toMatchObject({ continued: 1 });
    expect(queuesToWake(world)).toContain(ITEMS);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject(DONE);
  });
});

const operatorDeps = ({ deps }: World) => ({
  ...deps,
  ...createDepths(deps.depthOf, deps.gate.now),
  readOpenBatches: createOpenBatchReader(deps.table, deps.gate.now),
  pool: undefined,
});

describe('a queue that is controlled only by requests', () => {
  const view = async (
    world: World,
    action: 'pause' | 'resume' | 'drain',
  ): Promise<{ status: number; queue: QueueView }> => {
    const deps = operatorDeps(world);
    const since = (await readGate(deps.gate.table, ITEMS)).row.paused?.since;
    const handler = { pause: pauseQueue, resume: resumeQueue, drain: drainNow }[action];
    const answer = await call((request) => handler(deps, request), `queues/${ITEMS}/${action}`, {
      method: 'POST',
      params: { queue: ITEMS },
      ...(action === 'resume' ? { body: JSON.stringify({ since }) } : {}),
    });
    return { status: answer.status, queue: answer.json() as QueueView };
  };
  const query = async (world: World): Promise<QueueView | undefined> => {
    const answer = await call((request) => listQueues(operatorDeps(world), request), 'queues?fresh');
    return (answer.json() as { queues: QueueView[] }).queues.find(({ queue }) => queue === ITEMS);
  };

  it('can be measured, started and stopped, and no upload publishes a wake event', async () => {
    const { world } = use;
    await setPolicy(world, { notifyFrom: 1_000_000 });
    const deps = freshDeps(world);
    const first = await world.submit(itemsOf(9), { deps });
    expect(await query(world)).toMatchObject({ status: 'idle', depth: 3, wakes: 0 });
    expect(await view(world, 'drain')).toMatchObject({ status: 200, queue: { status: 'draining', depth: 3 } });
    expect(world.runtime.started).toMatchObject([{ queue: ITEMS, generation: 1 }]);
    await world.drainAll();
    expect(await world.batch(first.id)).toMatchObject(DONE);

    expect((await view(world, 'pause')).queue).toMatchObject({ status: 'idle', paused: { by: 'operator' } });
    const second = await world.submit(itemsOf(9), { deps });
    expect((await view(world, 'drain')).status).toBe(409);
    expect(world.runtime.started).toEqual([]);
    expect((await view(world, 'resume')).queue).toMatchObject({ status: 'draining', paused: null });
    await world.drainAll();
    expect(await world.batch(second.id)).toMatchObject(DONE);

    expect(await view(world, 'drain')).toMatchObject({
      status: 200,
      queue: { status: 'idle', depth: 0, generation: 2 },
    });
    expect(world.runtime.started).toEqual([]);
    expect(world.topic.events.filter(({ type, queue }) => type === 'QueueWorkDetected' && queue === ITEMS)).toEqual([]);
  });
});
