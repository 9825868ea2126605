/** Compares the task limit with AIMD, in a model of a service that serves a number of tasks and throttles the others. */
import { describe, expect, test } from 'vitest';
import { newGate } from '../../../../shared/gate/gate-row.ts';
import { adaptGate } from '../../../../shared/gate/planning/adapt.ts';
import { NOW, summary } from '../../drain/drain-fixtures.ts';

/** An hour and 40 minutes of slices of 30 s. */
const WAVES = 200;
/** The number of tasks that the depth of the queue requires. */
const WANTED = 500;
const SECONDS = 30;
const ITEMS_PER_TASK = 1_000;

/** The tasks of the next wave; `limit` 0 means none yet. */
type Algorithm = () => (tasks: number, isThrottled: boolean, items: number) => number;

/** Chiu and Jain (1989): one more, or one half. */
const aimd: Algorithm = () => (tasks, isThrottled) => (isThrottled ? Math.max(1, Math.floor(tasks / 2)) : tasks + 1);

const ours: Algorithm = () => {
  let row = newGate('q');
  return (tasks, isThrottled, items) => {
    const wave = summary({ tasks, done: tasks, items, seconds: SECONDS, throttled: isThrottled ? 5 : 0 });
    row = { ...row, ...adaptGate(row, wave, { isLimited: false, concurrentActivities: 5, nowMs: NOW }) };
    return row.taskLimit === 0 ? WANTED : row.taskLimit;
  };
};

/** Share of the service's capacity that was used, and share of waves that it throttled. */
function run(algorithm: Algorithm, capacityAt: (wave: number) => number): { served: number; throttled: number } {
  const next = algorithm();
  let tasks = 100;
  let [items, possible, throttled] = [0, 0, 0];
  for (let wave = 0; wave < WAVES; wave += 1) {
    const capacity = capacityAt(wave);
    const isThrottled = tasks > capacity;
    // Requests above the capacity are refused and repeated; a refusal costs a tenth of the capacity of a served
    // request.
    const served = Math.min(tasks, Math.max(capacity - (tasks - capacity) * 0.1, capacity / 2)) * ITEMS_PER_TASK;
    items += served;
    possible += Math.min(capacity, WANTED) * ITEMS_PER_TASK;
    throttled += isThrottled ? 1 : 0;
    tasks = Math.min(WANTED, next(tasks, isThrottled, served));
  }
  return { served: items / possible, throttled: throttled / WAVES };
}

const CASES: { name: string; capacityAt: (wave: number) => number }[] = [
  { name: '30 tasks', capacityAt: () => 30 },
  { name: '300 tasks', capacityAt: () => 300 },
  { name: '300 tasks, then 60, then 300', capacityAt: (wave) => (wave >= 60 && wave < 120 ? 60 : 300) },
];

describe.each(CASES)('a service with room for $name', ({ capacityAt }) => {
  const [own, reference] = [run(ours, capacityAt), run(aimd, capacityAt)];

  test('serves more than with AIMD, by a tenth of what is possible', () => {
    expect(own.served).toBeGreaterThan(reference.served + 0.1);
  });

  test('is throttled in at most one wave of seven', () => {
    expect(own.throttled).toBeLessThanOrEqual(1 / 7);
  });
});
