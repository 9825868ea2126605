import { describe, expect, test } from 'vitest';
import { DEFAULT_POLICY, policySchema, tasksForDepth } from '../../../shared/drain/policy.ts';

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
  expect(tasksForDepth(depth)).toBe(tasks);
});

describe('a policy', () => {
  test('is valid as it comes', () => {
    expect(policySchema.parse(DEFAULT_POLICY)).toEqual(DEFAULT_POLICY);
  });

  test.each([
    ['thresholds that do not ascend', { thresholds: [{ below: 10, tasks: 1 }, { below: 10, tasks: 2 }, { tasks: 3 }] }],
    ['no last threshold', { thresholds: [{ below: 10, tasks: 1 }] }],
    ['a threshold behind the last', { thresholds: [{ tasks: 1 }, { below: 10, tasks: 2 }] }],
    ['no threshold', { thresholds: [] }],
    ['a threshold without a task', { thresholds: [{ tasks: 0 }] }],
    ['a capacity of none', { capacity: 0 }],
    ['headroom for nothing but peaks', { headroom: 0.95 }],
    ['an unknown field', { speed: 1 }],
  ])('with %s is refused', (_what, fields) => {
    expect(policySchema.safeParse({ ...DEFAULT_POLICY, ...fields }).success).toBe(false);
  });
});
