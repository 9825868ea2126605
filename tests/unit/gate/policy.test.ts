import { describe, expect, test } from 'vitest';
import { tasksForDepth } from '../../../shared/gate/planning/count-tasks.ts';
import { DEFAULT_POLICY, policySchema } from '../../../shared/gate/policy.ts';

// depth < 100: 10 dequeue tasks; < 1,000: 50; otherwise 100
test.each([
  [0, 0],
  [1, 10],
  [99, 10],
  [100, 50],
  [999, 50],
  [1_000, 100],
  [5_000_000, 100],
])('%i waiting: %i tasks', (depth, tasks) => {
  expect(tasksForDepth(depth, DEFAULT_POLICY.thresholds)).toBe(tasks);
});

describe('a policy', () => {
  test('is valid by default', () => {
    expect(policySchema.parse(DEFAULT_POLICY)).toEqual(DEFAULT_POLICY);
  });

  test('may limit receives and wake events', () => {
    const policy = { ...DEFAULT_POLICY, receiveSize: 32, receiveIntervalMs: 60_000, notifyFrom: 1_000_000 };
    expect(policySchema.parse(policy)).toEqual(policy);
  });

  test.each([
    [
      'thresholds that are not ascending',
      { thresholds: [{ below: 10, tasks: 1 }, { below: 10, tasks: 2 }, { tasks: 3 }] },
    ],
    ['no last threshold', { thresholds: [{ below: 10, tasks: 1 }] }],
    ['a threshold after the last one', { thresholds: [{ tasks: 1 }, { below: 10, tasks: 2 }] }],
    ['no threshold', { thresholds: [] }],
    ['a threshold without a task', { thresholds: [{ tasks: 0 }] }],
    ['a capacity of zero', { capacity: 0 }],
    ['a headroom of the whole capacity', { headroom: 0.95 }],
    ['a receive size of zero', { receiveSize: 0 }],
    ['a receive size above that of the service', { receiveSize: 33 }],
    ['a fractional receive size', { receiveSize: 1.5 }],
    ['an interval below 0', { receiveIntervalMs: -1 }],
    ['an interval of more than a minute', { receiveIntervalMs: 60_001 }],
    ['a notifyFrom of zero', { notifyFrom: 0 }],
    ['a notifyFrom above one million', { notifyFrom: 1_000_001 }],
    ['a field that is null', { notifyFrom: null }],
    ['an unknown field', { speed: 1 }],
  ])('with %s is refused', (_what, fields) => {
    expect(policySchema.safeParse({ ...DEFAULT_POLICY, ...fields }).success).toBe(false);
  });
});
