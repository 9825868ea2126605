import { describe, expect, test } from 'vitest';
import { clockOffsetOf, planOf, STACK_FAULTS, WAKE_DELIVERIES } from './plan.ts';

const ITEMS = 20_000;
const seeds = Array.from({ length: 3_000 }, (_, seed) => seed);

describe('the plan of a random run', () => {
  test('is the same for the same seed', () => {
    const [one, other] = [planOf(77, { items: ITEMS }), planOf(77, { items: ITEMS })];
    expect(one.calls).toEqual(other.calls);
    expect(one.stack).toEqual(other.stack);
    expect([0, 1, 2, 3].map(one.wake)).toEqual([0, 1, 2, 3].map(other.wake));
  });

  test('has every kind of fault of a part somewhere', () => {
    const kinds = new Set(seeds.map((seed) => planOf(seed, { items: ITEMS }).stack?.kind));
    expect([...STACK_FAULTS].filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  test('holds no drain for good in a quick run', () => {
    expect(seeds.some((seed) => planOf(seed, { items: ITEMS, quick: true }).stack?.kind === 'holdDrain')).toBe(false);
  });

  test('has every delivery of a wake somewhere', () => {
    const deliveries = new Set(seeds.slice(0, 200).map((seed) => planOf(seed, { items: ITEMS }).wake(0).delivery));
    expect([...deliveries].sort()).toEqual([...WAKE_DELIVERIES].sort());
  });
});

test('the clock of a host is ahead or behind, by ten minutes at most', () => {
  const offsets = seeds.map(clockOffsetOf);
  expect(Math.max(...offsets)).toBeGreaterThan(500_000);
  expect(Math.max(...offsets)).toBeLessThanOrEqual(600_000);
  expect(Math.min(...offsets)).toBeLessThan(-500_000);
  expect(Math.min(...offsets)).toBeGreaterThanOrEqual(-600_000);
});
