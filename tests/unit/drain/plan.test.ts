import { expect, test } from 'vitest';
import { type PlanState, planWave } from '../../../shared/drain/plan.ts';
import { DEFAULT_POLICY } from '../../../shared/drain/policy.ts';

const state = (fields: Partial<PlanState> = {}): PlanState => ({
  kind: 'items',
  depth: 1_000,
  itemsPerReference: 1,
  secondsPerReference: 10,
  policy: DEFAULT_POLICY,
  taskLimit: 0,
  fedTasks: Number.POSITIVE_INFINITY,
  bulk: false,
  exploring: false,
  late: false,
  probe: false,
  sliceSeconds: 30,
  visibilitySeconds: 300,
  wakes: 3,
  ...fields,
});

test.each<[string, Partial<PlanState>, number]>([
  ['the rule: fewer than 100 items', { depth: 99 }, 10],
  ['the rule: fewer than 1,000 items', { depth: 999 }, 50],
  ['the rule: 1,000 items', { depth: 1_000 }, 100],
  ['the rule counts items, not references', { depth: 20, itemsPerReference: 5_000 }, 20],
  [
    'the work: 40 references of half a second are 20 s, two targets of 10 s',
    { depth: 40, secondsPerReference: 0.5 },
    2,
  ],
  ['the references: no task without one', { depth: 3, itemsPerReference: 5_000, secondsPerReference: 100 }, 3],
  ['the capacity', { policy: { ...DEFAULT_POLICY, capacity: 7 } }, 7],
  ['the capacity less its headroom, in a bulk lane', { bulk: true }, 75],
  ['a limit that throttling has set', { taskLimit: 4 }, 4],
  ['everything, when the oldest batch would be late', { depth: 150, secondsPerReference: 0.01, late: true }, 100],
  ['one at least, though there seems to be nothing', { depth: 0 }, 1],
  ['one, for results: two collectors would fight for one ETag', { kind: 'results' }, 1],
  ['one, for a probe', { probe: true }, 1],
])('tasks are bounded by %s', (_what, fields, tasks) => {
  expect(planWave(state(fields)).tasks).toBe(tasks);
});

test.each<[string, Partial<PlanState>, number, number]>([
  ['32 messages, the most a receive takes', { depth: 10_000, secondsPerReference: 0.1 }, 100, 32],
  ['what a task does in its slice', { depth: 10_000, secondsPerReference: 3 }, 100, 10],
  [
    'what a task does in half a visibility timeout',
    { depth: 10_000, secondsPerReference: 2, visibilitySeconds: 20 },
    100,
    5,
  ],
  ['its share', { depth: 300, secondsPerReference: 3.4 }, 6, 6],
  ['what a task should get, and not its share, when it is alone', { depth: 2, secondsPerReference: 3 }, 2, 4],
  ['one, however long it takes', { depth: 10_000, secondsPerReference: 900 }, 100, 1],
])('a receive is bounded by %s', (_what, fields, quota, receive) => {
  expect(planWave(state(fields))).toMatchObject({ quota, receive });
});

test('a probe takes one reference', () => {
  const one = { tasks: 1, quota: 1, receive: 1, wakes: 3 };
  expect(planWave(state({ probe: true }))).toEqual({ ...one, depth: 1_000, sliceSeconds: 30, probe: true });
});

test('a collector takes whatever comes in while it works', () => {
  expect(planWave(state({ kind: 'results', depth: 1 })).quota).toBe(Number.MAX_SAFE_INTEGER);
});
