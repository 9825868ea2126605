import { describe, expect, test } from 'vitest';
import { type PlanState, planWave } from '../../../../shared/gate/planning/plan.ts';
import { DEFAULT_POLICY } from '../../../../shared/gate/policy.ts';
import type { WaveBound } from '../../../../shared/gate/wave-record.ts';

const state = (fields: Partial<PlanState> = {}): PlanState => ({
  kind: 'items',
  depth: 1_000,
  itemsPerReference: 1,
  secondsPerReference: 10,
  policy: DEFAULT_POLICY,
  taskLimit: 0,
  fedTasks: Number.POSITIVE_INFINITY,
  saturationLimit: Number.POSITIVE_INFINITY,
  room: Number.POSITIVE_INFINITY,
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
  ['the room that the other queues of the pool leave', { room: 6 }, 6],
  [
    'the tasks that a history can hold',
    { policy: { ...DEFAULT_POLICY, thresholds: [{ tasks: 999 }], capacity: 999 } },
    250,
  ],
  ['a limit that throttling has set', { taskLimit: 4 }, 4],
  ['what saturated instances can run', { saturationLimit: 20 }, 20],
  ['saturated instances, even if the oldest batch would be late', { saturationLimit: 20, late: true }, 20],
  ['the capacity alone if the oldest batch would be late', { depth: 150, secondsPerReference: 0.01, late: true }, 100],
  ['the minimum of one, even if the queue seems empty', { depth: 0 }, 1],
  ['one for results, since two collectors would contend for one ETag', { kind: 'results' }, 1],
  ['one for a probe', { probe: true }, 1],
])('tasks are limited by %s', (_what, fields, tasks) => {
  expect(planWave(state(fields)).tasks).toBe(tasks);
});

test.each<[WaveBound, Partial<PlanState>]>([
  ['rule', { depth: 99 }],
  ['work', { depth: 40, secondsPerReference: 0.5 }],
  ['depth', { depth: 3, itemsPerReference: 5_000, secondsPerReference: 100 }],
  ['depth', { depth: 0 }],
  ['capacity', { policy: { ...DEFAULT_POLICY, capacity: 7 } }],
  ['capacity', { bulk: true }],
  // For late work neither the rule nor the target seconds of a task count.
  ['capacity', { depth: 150, secondsPerReference: 0.01, late: true }],
  ['pool', { room: 6 }],
  ['throttling', { taskLimit: 4 }],
  ['limits', { fedTasks: 3 }],
  ['saturation', { saturationLimit: 20, late: true }],
  // Of two equal bounds, the one that no policy changes.
  ['depth', { depth: 1, itemsPerReference: 1 }],
  ['throttling', { taskLimit: 100 }],
  ['probe', { probe: true }],
  ['collector', { kind: 'results' }],
])('the plan contains what limited its tasks: %s', (bound, fields) => {
  const { late = false } = fields;
  expect(planWave(state(fields))).toMatchObject({ bound, ...(late ? { late } : {}) });
  expect('late' in planWave(state(fields))).toBe(late);
});

test.each<[string, Partial<PlanState>, number, number]>([
  ['32 messages, the maximum per receive', { depth: 10_000, secondsPerReference: 0.1 }, 100, 32],
  ['what a task finishes in its slice', { depth: 10_000, secondsPerReference: 3 }, 100, 10],
  [
    'what a task finishes in half a visibility timeout',
    { depth: 10_000, secondsPerReference: 2, visibilitySeconds: 20 },
    100,
    5,
  ],
  ['its share', { depth: 300, secondsPerReference: 3.4 }, 6, 6],
  ['the target work of a task instead of its share if it is the only one', { depth: 2, secondsPerReference: 3 }, 2, 4],
  ['the minimum of one, even if it takes long', { depth: 10_000, secondsPerReference: 900 }, 100, 1],
])('a receive is limited by %s', (_what, fields, quota, receive) => {
  expect(planWave(state(fields))).toMatchObject({ quota, receive });
});

describe('an interval between receives', () => {
  const policy = { ...DEFAULT_POLICY, receiveIntervalMs: 2_000 };

  test('is part of the wave; without one the field is absent, as in waves of older versions', () => {
    expect(planWave(state({ policy })).receiveIntervalMs).toBe(2_000);
    expect(planWave(state({ policy, probe: true })).receiveIntervalMs).toBe(2_000);
    expect(planWave(state({ policy, kind: 'results' })).receiveIntervalMs).toBe(2_000);
    expect(planWave(state())).not.toHaveProperty('receiveIntervalMs');
    expect(planWave(state({ policy: { ...policy, receiveIntervalMs: 0 } }))).not.toHaveProperty('receiveIntervalMs');
  });

  test.each([
    // 400 references of 10 ms are one target of 4 s; with receives of 10 every 2 s they are 80 s, eight targets.
    ['leads to more tasks, since each finishes less', 10, 0.01, 8],
    ['changes nothing if the work of a receive takes longer', 32, 1, 40],
    ['is shared by all messages of a receive', 32, 0.01, 3],
  ])('%s', (_what, receiveSize, secondsPerReference, tasks) => {
    const { depth, quota, ...wave } = planWave(
      state({ policy: { ...policy, receiveSize }, depth: 400, itemsPerReference: 5_000, secondsPerReference }),
    );
    expect([wave.tasks, quota]).toEqual([tasks, Math.ceil(depth / tasks)]);
  });

  test('fits into the short slices while the task limit is rising', () => {
    const long = { ...policy, receiveIntervalMs: 12_000 };
    expect(planWave(state({ exploring: true })).sliceSeconds).toBe(5);
    expect(planWave(state({ exploring: true, policy })).sliceSeconds).toBe(5);
    expect(planWave(state({ exploring: true, policy: long })).sliceSeconds).toBe(12);
    expect(planWave(state({ exploring: true, policy: { ...policy, receiveIntervalMs: 60_000 } })).sliceSeconds).toBe(
      30,
    );
  });
});

test.each([
  ['of items', { depth: 10_000, secondsPerReference: 0.1 }],
  ['of results', { kind: 'results', depth: 10_000, secondsPerReference: 0.1 }],
  ['of an only task', { depth: 2, secondsPerReference: 0.1 }],
] as const)('a receive %s returns at most what the policy allows', (_what, fields) => {
  expect(planWave(state({ ...fields, policy: { ...DEFAULT_POLICY, receiveSize: 3 } })).receive).toBe(3);
});

test('a policy does not make a receive larger than fits into the slice', () => {
  const policy = { ...DEFAULT_POLICY, receiveSize: 20 };
  expect(planWave(state({ depth: 10_000, secondsPerReference: 3, policy })).receive).toBe(10);
});

test('a probe takes one reference', () => {
  const one = { tasks: 1, quota: 1, receive: 1, wakes: 3 };
  expect(planWave(state({ probe: true }))).toEqual({
    ...one,
    depth: 1_000,
    sliceSeconds: 30,
    probe: true,
    bound: 'probe',
  });
});

test('a collector also receives messages that arrive while it works', () => {
  expect(planWave(state({ kind: 'results', depth: 1 })).quota).toBe(Number.MAX_SAFE_INTEGER);
});
