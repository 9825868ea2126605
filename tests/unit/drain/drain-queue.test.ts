import { runOrchestrator } from 'functions-local/testing';
import { describe, expect, test } from 'vitest';
import type { FinishWaveInput, FinishWaveOutput } from '../../../shared/drain/activities.ts';
import { type DrainInput, drainQueue } from '../../../shared/drain/drain-queue.ts';
import type { DequeueInput } from '../../../shared/drain/task-heartbeat.ts';
import { finishWave } from '../../../shared/gate/finish-wave.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import type { Wave } from '../../../shared/gate/planning/plan.ts';
import { emptyCounts, type SliceResult } from '../../../shared/gate/planning/slice-result.ts';
import { summarize } from '../../../shared/gate/planning/wave-summary.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { address, finishWaveDeps } from './drain-fixtures.ts';

const wave = (tasks: number): Wave => ({
  depth: 10 * tasks,
  wakes: tasks,
  tasks,
  quota: 10,
  receive: 10,
  sliceSeconds: 30,
  probe: false,
});
const { wakes: _wakes, ...taskWave } = wave(2);
const input: DrainInput = { queue: 'billing-normal-0', generation: 7, wave: wave(2) };
const slice = (received: number): SliceResult => ({
  ...emptyCounts(),
  ended: received === 0 ? 'empty' : 'quotaReached',
  seconds: 1,
  received,
  done: received,
});

/** Finishes waves with these results in order, then ends the drain. */
function finishing(...answers: FinishWaveOutput[]) {
  const seen: FinishWaveInput[] = [];
  return {
    seen,
    finishWave: (step: FinishWaveInput): FinishWaveOutput => {
      seen.push(step);
      return answers.shift() ?? {};
    },
  };
}

test('an empty queue needs one wave and one `finish-wave`', async () => {
  const { seen, finishWave: finishWaveActivity } = finishing();

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(0), 'finish-wave': finishWaveActivity },
  });

  expect(run).toMatchObject({ status: 'completed', continuations: [], endedAt: '2026-01-01T00:00:00.000Z' });
  expect(run.calls.map(({ name }) => name)).toEqual(['dequeue-batch', 'finish-wave']);
  expect(seen).toEqual([{ queue: 'billing-normal-0', generation: 7, slices: [slice(0)], wakes: 1, depth: 10 }]);
});

test('the tasks of a wave run in parallel, and `finish-wave` receives the result of each', async () => {
  const tasks: DequeueInput[] = [];
  const { seen, finishWave: finishWaveActivity } = finishing();
  const dequeue = (task: DequeueInput): SliceResult => slice(tasks.push(task));

  await runOrchestrator(drainQueue, {
    input,
    activities: { 'dequeue-batch': dequeue, 'finish-wave': finishWaveActivity },
  });

  expect(tasks).toEqual([
    { queue: 'billing-normal-0', generation: 7, task: 't0', wave: taskWave },
    { queue: 'billing-normal-0', generation: 7, task: 't1', wave: taskWave },
  ]);
  expect(seen[0]?.slices.map(({ received }) => received)).toEqual([1, 2]);
});

test('the reason for the number of tasks is in the history once per wave, and not once per task', async () => {
  const tasks: DequeueInput[] = [];
  const { seen, finishWave: finishWaveActivity } = finishing();
  const dequeue = (task: DequeueInput): SliceResult => slice(tasks.push(task));

  await runOrchestrator(drainQueue, {
    input: { ...input, wave: { ...wave(2), bound: 'saturation', late: true } },
    activities: { 'dequeue-batch': dequeue, 'finish-wave': finishWaveActivity },
  });

  expect(seen).toMatchObject([{ wakes: 2, depth: 20, bound: 'saturation', late: true }]);
  expect(tasks.map((task) => task.wave)).toEqual([taskWave, taskWave]);
});

test('each wave has the size that the previous `finish-wave` returned', async () => {
  const { finishWave: finishWaveActivity } = finishing({ next: wave(3) }, { next: wave(1) });

  const run = await runOrchestrator(drainQueue, {
    input,
    activities: { 'dequeue-batch': () => slice(1), 'finish-wave': finishWaveActivity },
  });

  expect(run.calls.filter(({ name }) => name === 'dequeue-batch')).toHaveLength(2 + 3 + 1);
  expect(run.continuations).toEqual([]);
});

test('after five waves the history is cut, and the drain continues with the next wave', async () => {
  const next = { next: wave(1) };
  const { seen, finishWave: finishWaveActivity } = finishing(next, next, next, next, { next: wave(4) }, next);

  const run = await runOrchestrator(drainQueue, {
    input,
    activities: { 'dequeue-batch': () => slice(1), 'finish-wave': finishWaveActivity },
  });

  expect(run.status).toBe('completed');
  expect(run.continuations).toEqual([{ queue: 'billing-normal-0', generation: 7, wave: wave(4) }]);
  expect(seen).toHaveLength(7);
});

test('the history is cut before a wave with which it would have more tasks than one page can hold', async () => {
  const { seen, finishWave: finishWaveActivity } = finishing(
    { next: wave(248) },
    { next: wave(1) },
    { next: wave(250) },
  );

  const run = await runOrchestrator(drainQueue, {
    input,
    activities: { 'dequeue-batch': () => slice(1), 'finish-wave': finishWaveActivity },
  });

  expect(run.continuations).toEqual([
    { queue: 'billing-normal-0', generation: 7, wave: wave(1) },
    { queue: 'billing-normal-0', generation: 7, wave: wave(250) },
  ]);
  expect(seen).toHaveLength(4);
});

test('a `finish-wave` that fails is retried after 2, 4 and 8 seconds', async () => {
  let failures = 3;
  const finishWaveActivity = (): FinishWaveOutput => {
    if (failures === 0) return {};
    failures -= 1;
    throw new Error('storage is unavailable');
  };

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(1), 'finish-wave': finishWaveActivity },
  });

  expect(run).toMatchObject({ status: 'completed', endedAt: '2026-01-01T00:00:14.000Z' });
});

describe('a task that is reported as failed because its worker has died', () => {
  const dying =
    (...dead: string[]) =>
    ({ task }: DequeueInput): SliceResult => {
      if (dead.includes(task)) throw new Error('The worker process has ended.');
      return slice(1);
    };

  test.each([
    ['t0', ['fault', 'quotaReached', 'quotaReached']],
    ['t1', ['quotaReached', 'fault', 'quotaReached']],
    ['t2', ['quotaReached', 'quotaReached', 'fault']],
  ])('(%s) counts as a fault, and `finish-wave` waits for the others, which run once', async (dead, ends) => {
    const { seen, finishWave: finishWaveActivity } = finishing();

    const run = await runOrchestrator(drainQueue, {
      input: { ...input, wave: wave(3) },
      activities: { 'dequeue-batch': dying(dead), 'finish-wave': finishWaveActivity },
    });

    expect(run.status).toBe('completed');
    expect(seen.map(({ slices }) => slices.map(({ ended }) => ended))).toEqual([ends]);
    expect(run.calls.map(({ name }) => name)).toEqual([...Array(3).fill('dequeue-batch'), 'finish-wave']);
  });

  test('does not end the drain even if it was the only one', async () => {
    const { seen, finishWave: finishWaveActivity } = finishing({ next: wave(1) });
    const dead = ['t0'];

    const run = await runOrchestrator(drainQueue, {
      input: { ...input, wave: wave(1) },
      activities: {
        'dequeue-batch': (task: DequeueInput) => dying(...dead.splice(0))(task),
        'finish-wave': finishWaveActivity,
      },
    });

    expect(run.status).toBe('completed');
    expect(seen.map(({ slices }) => slices.map(({ ended }) => ended))).toEqual([['fault'], ['quotaReached']]);
  });
});

test('if all attempts fail, the drain abandons the gate as its last act, and fails', async () => {
  const seen: FinishWaveInput[] = [];
  const finishWaveActivity = (step: FinishWaveInput): FinishWaveOutput => {
    seen.push(step);
    if (step.abandon !== undefined) return {};
    throw new Error('storage is unavailable');
  };

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(1), 'finish-wave': finishWaveActivity },
  });

  expect(run.status).toBe('failed');
  expect(run.reason).toContain('storage is unavailable');
  expect(run.endedAt).toBe('2026-01-01T00:00:30.000Z');
  expect(seen).toHaveLength(6);
  const abandon = expect.stringContaining('storage is unavailable');
  expect(seen.at(-1)).toEqual({ queue: 'billing-normal-0', generation: 7, slices: [], wakes: 1, abandon });
});

test('a release is refused if a wake was counted while the queue was measured, and the drain continues', async () => {
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
  const deps = { ...finishWaveDeps(store.table), depthOf };
  const finishWaveActivity = async ({ generation, slices, wakes }: FinishWaveInput): Promise<FinishWaveOutput> => {
    const step = await finishWave(deps, { address, generation, wave: summarize(slices, wakes) });
    return 'next' in step ? { next: step.next } : {};
  };

  const run = await runOrchestrator(drainQueue, {
    input: { ...input, generation: 1, wave: wave(1) },
    activities: { 'dequeue-batch': () => slice(1), 'finish-wave': finishWaveActivity },
  });

  expect(run.calls.map(({ name }) => name)).toEqual(['dequeue-batch', 'finish-wave', 'dequeue-batch', 'finish-wave']);
  expect((await readGate(store.table, 'billing-normal-0')).row).toMatchObject({ status: 'idle', generation: 1 });
});
