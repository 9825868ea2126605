import { describe, expect, test } from 'vitest';
import { tasksForDepth } from '../../../../shared/drain/planning/count-tasks.ts';
import { DEFAULT_POLICY, policySchema } from '../../../../shared/drain/planning/policy.ts';

// depth < 100: 10 dequeue tasks; < 1,000: 50; else 100
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
  test('is valid as it comes', () => {
    expect(policySchema.parse(DEFAULT_POLICY)).toEqual(DEFAULT_POLICY);
  });

  test('may bound receives and wake events', () => {
    const policy = { ...DEFAULT_POLICY, receiveSize: 32, receiveIntervalMs: 60_000, notifyFrom: 1_000_000 };
    expect(policySchema.parse(policy)).toEqual(policy);
  });

  test.each([
    ['thresholds that do not ascend', { thresholds: [{ below: 10, tasks: 1 }, { below: 10, tasks: 2 }, { tasks: 3 }] }],
    ['no last threshold', { thresholds: [{ below: 10, tasks: 1 }] }],
    ['a threshold behind the last', { thresholds: [{ tasks: 1 }, { below: 10, tasks: 2 }] }],
    ['no threshold', { thresholds: [] }],
    ['a threshold without a task', { thresholds: [{ tasks: 0 }] }],
    ['a capacity of none', { capacity: 0 }],
    ['headroom for nothing but peaks', { headroom: 0.95 }],
    ['a receive of nothing', { receiveSize: 0 }],
    ['more than the service gives in a receive', { receiveSize: 33 }],
    ['half a message', { receiveSize: 1.5 }],
    ['an interval below 0', { receiveIntervalMs: -1 }],
    ['an interval of more than a minute', { receiveIntervalMs: 60_001 }],
    ['a notification from nothing on', { notifyFrom: 0 }],
    ['a notification from a million messages and one on', { notifyFrom: 1_000_001 }],
    ['a field that is null', { notifyFrom: null }],
    ['an unknown field', { speed: 1 }],
  ])('with %s is refused', (_what, fields) => {
    expect(policySchema.safeParse({ ...DEFAULT_POLICY, ...fields }).success).toBe(false);
  });
});
