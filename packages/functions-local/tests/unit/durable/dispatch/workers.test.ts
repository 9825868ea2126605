import { expect, test } from 'vitest';
import { type Worker, WorkerPool } from '../../../../src/durable/dispatch/workers.ts';

const worker = (activity: number): Worker => ({
  limits: { activity, orchestrator: 1 },
  invoke: async () => undefined,
});

function takenBy(pool: WorkerPool, workers: readonly Worker[], times: number): number[] {
  const slots = pool.slots('activity');
  return Array.from({ length: times }, () => {
    const { invoke } = slots.take();
    return workers.findIndex((candidate) => candidate.invoke === invoke);
  });
}

test('work goes to the worker with the most free slots, and equal workers alternate', () => {
  const pool = new WorkerPool();
  const workers = [worker(2), worker(3), worker(2)];
  for (const each of workers) pool.add(each);
  expect(takenBy(pool, workers, 7)).toEqual([1, 0, 2, 1, 0, 2, 1]);
  expect(pool.slots('activity').free()).toBe(0);
  expect(pool.slots('orchestrator').free()).toBe(3);
});

test('no worker gets more work than its limit', () => {
  const pool = new WorkerPool();
  pool.add(worker(1));
  pool.slots('activity').take();
  expect(() => pool.slots('activity').take()).toThrow('No worker has a free slot for another activity');
});

test('the running work of a worker that was removed and added again occupies its slots', () => {
  const pool = new WorkerPool();
  const only = worker(2);
  pool.add(only);
  const slot = pool.slots('activity').take();
  pool.remove(only);
  expect(pool.slots('activity').free()).toBe(0);
  pool.add(only);
  expect(pool.slots('activity').free()).toBe(1);
  slot.release();
  expect(pool.slots('activity').free()).toBe(2);
});
