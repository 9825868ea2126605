import { runOrchestrator } from 'functions-local/testing';
import { describe, expect, test } from 'vitest';
import type { DequeueInput, SettleQueueInput, SettleQueueOutput } from '../../../shared/drain/activities.ts';
import { summarize } from '../../../shared/drain/adapt.ts';
import { type DrainInput, drainQueue } from '../../../shared/drain/drain-queue.ts';
import type { Wave } from '../../../shared/drain/plan.ts';
import { settle } from '../../../shared/drain/settle.ts';
import { emptyTally, type SliceResult } from '../../../shared/drain/slice-result.ts';
import { readGate, wake } from '../../../shared/wake/gate.ts';
import { memoryTable } from '../../helpers/memory-table.ts';
import { address, settleDeps } from './drain-fixtures.ts';

const wave = (tasks: number): Wave => ({
  depth: 10 * tasks,
  wakes: tasks,
  tasks,
  share: 10,
  receive: 10,
  sliceSeconds: 30,
  probe: false,
});
const input: DrainInput = { queue: 'billing-normal-0', generation: 7, wave: wave(2) };
const slice = (received: number): SliceResult => ({
  ...emptyTally(),
  ended: received === 0 ? 'empty' : 'shareDone',
  seconds: 1,
  received,
  done: received,
});

/** Settles with one answer after the other, then with the end. */
function settling(...answers: SettleQueueOutput[]) {
  const seen: SettleQueueInput[] = [];
  return {
    seen,
    settle: (settled: SettleQueueInput): SettleQueueOutput => {
      seen.push(settled);
      return answers.shift() ?? {};
    },
  };
}

test('an empty queue takes one wave and one settling', async () => {
  const { seen, settle: settleQueue } = settling();

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(0), 'settle-queue': settleQueue },
  });

  expect(run).toMatchObject({ status: 'completed', continuations: [], endedAt: '2026-01-01T00:00:00.000Z' });
  expect(run.calls.map(({ name }) => name)).toEqual(['dequeue-batch', 'settle-queue']);
  expect(seen).toEqual([{ queue: 'billing-normal-0', generation: 7, slices: [slice(0)], wakes: 1 }]);
});

test('the tasks of a wave run together, and the settling gets what each has done', async () => {
  const tasks: DequeueInput[] = [];
  const { seen, settle: settleQueue } = settling();
  const dequeue = (task: DequeueInput): SliceResult => slice(tasks.push(task));

  await runOrchestrator(drainQueue, { input, activities: { 'dequeue-batch': dequeue, 'settle-queue': settleQueue } });

  expect(tasks).toEqual([
    { queue: 'billing-normal-0', generation: 7, task: 't0', wave: wave(2) },
    { queue: 'billing-normal-0', generation: 7, task: 't1', wave: wave(2) },
  ]);
  expect(seen[0]?.slices.map(({ received }) => received)).toEqual([1, 2]);
});

test('each wave has the size that the settling before it gave', async () => {
  const { settle: settleQueue } = settling({ next: wave(3) }, { next: wave(1) });

  const run = await runOrchestrator(drainQueue, {
    input,
    activities: { 'dequeue-batch': () => slice(1), 'settle-queue': settleQueue },
  });

  expect(run.calls.filter(({ name }) => name === 'dequeue-batch')).toHaveLength(2 + 3 + 1);
  expect(run.continuations).toEqual([]);
});

test('after five waves the history is cut, and the drain goes on with the next wave', async () => {
  const next = { next: wave(1) };
  const { seen, settle: settleQueue } = settling(next, next, next, next, { next: wave(4) }, next);

  const run = await runOrchestrator(drainQueue, {
    input,
    activities: { 'dequeue-batch': () => slice(1), 'settle-queue': settleQueue },
  });

  expect(run.status).toBe('completed');
  expect(run.continuations).toEqual([{ queue: 'billing-normal-0', generation: 7, wave: wave(4) }]);
  expect(seen).toHaveLength(7);
});

test('a settling that fails is tried again after 2, 4 and 8 seconds', async () => {
  let failures = 3;
  const settleQueue = (): SettleQueueOutput => {
    if (failures === 0) return {};
    failures -= 1;
    throw new Error('storage is away');
  };

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(1), 'settle-queue': settleQueue },
  });

  expect(run).toMatchObject({ status: 'completed', endedAt: '2026-01-01T00:00:14.000Z' });
});

describe('a task that is reported as failed, since its worker has died', () => {
  const dying =
    (...dead: string[]) =>
    ({ task }: DequeueInput): SliceResult => {
      if (dead.includes(task)) throw new Error('The worker process has ended.');
      return slice(1);
    };

  test.each([
    ['t0', ['fault', 'shareDone', 'shareDone']],
    ['t1', ['shareDone', 'fault', 'shareDone']],
    ['t2', ['shareDone', 'shareDone', 'fault']],
  ])('(%s) counts as a fault, and the settling waits for the others, which run once', async (dead, ends) => {
    const { seen, settle: settleQueue } = settling();

    const run = await runOrchestrator(drainQueue, {
      input: { ...input, wave: wave(3) },
      activities: { 'dequeue-batch': dying(dead), 'settle-queue': settleQueue },
    });

    expect(run.status).toBe('completed');
    expect(seen.map(({ slices }) => slices.map(({ ended }) => ended))).toEqual([ends]);
    expect(run.calls.map(({ name }) => name)).toEqual([...Array(3).fill('dequeue-batch'), 'settle-queue']);
  });

  test('does not end the drain although it was the only one', async () => {
    const { seen, settle: settleQueue } = settling({ next: wave(1) });
    const dead = ['t0'];

    const run = await runOrchestrator(drainQueue, {
      input: { ...input, wave: wave(1) },
      activities: {
        'dequeue-batch': (task: DequeueInput) => dying(...dead.splice(0))(task),
        'settle-queue': settleQueue,
      },
    });

    expect(run.status).toBe('completed');
    expect(seen.map(({ slices }) => slices.map(({ ended }) => ended))).toEqual([['fault'], ['shareDone']]);
  });
});

test('when all tries fail, the gate is abandoned as the last act, and the drain fails', async () => {
  const seen: SettleQueueInput[] = [];
  const settleQueue = (settled: SettleQueueInput): SettleQueueOutput => {
    seen.push(settled);
    if (settled.abandon === true) return {};
    throw new Error('storage is away');
  };

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(1), 'settle-queue': settleQueue },
  });

  expect(run.status).toBe('failed');
  expect(run.reason).toContain('storage is away');
  expect(run.endedAt).toBe('2026-01-01T00:00:30.000Z');
  expect(seen).toHaveLength(6);
  expect(seen.at(-1)).toEqual({ queue: 'billing-normal-0', generation: 7, slices: [], wakes: 1, abandon: true });
});

test('a release is refused when a wake was counted while the queue was measured, and the drain goes on', async () => {
  const store = memoryTable();
  const gate = {
    table: store.table,
    now: () => Date.UTC(2026, 0, 1),
    start: async () => {},
    status: async () => 'Running' as const,
  };
  await wake(gate, 'billing-normal-0');
  const depths = [0, 1, 0];
  const depthOf = async (): Promise<number> => {
    const depth = depths.shift() ?? 0;
    // A message is put, and its wake counted, just after the queue was measured empty.
    if (depths.length === 2) await wake(gate, 'billing-normal-0');
    return depth;
  };
  const deps = { ...settleDeps(store.table), depthOf };
  const settleQueue = async ({ generation, slices, wakes }: SettleQueueInput): Promise<SettleQueueOutput> => {
    const settled = await settle(deps, { address, generation, wave: summarize(slices, wakes) });
    return 'next' in settled ? { next: settled.next } : {};
  };

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, generation: 1, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(1), 'settle-queue': settleQueue },
  });

  expect(run.calls.map(({ name }) => name)).toEqual(['dequeue-batch', 'settle-queue', 'dequeue-batch', 'settle-queue']);
  expect((await readGate(store.table, 'billing-normal-0')).row).toMatchObject({ status: 'idle', generation: 1 });
});
