import { describe, expect, test } from 'vitest';
import { LEASE_MS } from '../harness/settings.ts';
import { PAUSE_ENDS, planOf, STACK_FAULTS, stackPlanOf, WAKE_DELIVERIES } from './plan.ts';

const ITEMS = 20_000;
const seeds = Array.from({ length: 3_000 }, (_, seed) => seed);

describe('the plan of a random run', () => {
  test('is the same for the same seed', () => {
    const [one, other] = [planOf(77, { items: ITEMS }), planOf(77, { items: ITEMS })];
    expect(one.calls).toEqual(other.calls);
    expect(one.stack).toEqual(other.stack);
    expect(one.pauses).toEqual(other.pauses);
    expect([0, 1, 2, 3].map(one.wake)).toEqual([0, 1, 2, 3].map(other.wake));
  });

  test('contains every kind of part fault for some seed', () => {
    const kinds = new Set(seeds.map((seed) => planOf(seed, { items: ITEMS }).stack?.kind));
    expect([...STACK_FAULTS].filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  test('holds no drain permanently in a quick run', () => {
    expect(seeds.some((seed) => planOf(seed, { items: ITEMS, quick: true }).stack?.kind === 'holdDrain')).toBe(false);
  });

  test('contains every delivery of a wake for some seed', () => {
    const deliveries = new Set(seeds.slice(0, 200).map((seed) => planOf(seed, { items: ITEMS }).wake(0).delivery));
    expect([...deliveries].sort()).toEqual([...WAKE_DELIVERIES].sort());
  });
});

test('pauses batches once or twice, and each way to end a pause occurs, also with a fault', () => {
  const paused = seeds.map((seed) => planOf(seed, { items: ITEMS }).pauses).filter((pauses) => pauses.length > 0);
  const all = paused.flat();
  expect(paused.length).toBeGreaterThan(seeds.length / 5);
  expect(paused.filter(([first, second]) => first?.at === second?.at).length).toBeGreaterThan(paused.length / 5);
  expect(new Set(all.map(({ end }) => end))).toEqual(new Set(PAUSE_ENDS));
  for (const end of PAUSE_ENDS) expect(all.some((pause) => pause.end === end && pause.fault)).toBe(true);
  expect(Math.max(...all.map(({ resumesAfterMs }) => resumesAfterMs))).toBeGreaterThan(4_000);
});

test('freezes instances for less and for more than their leases', () => {
  const freezes = seeds
    .map((seed) => planOf(seed, { items: ITEMS }).stack)
    .filter((fault) => fault?.kind === 'freezeInstance')
    .map((fault) => fault?.ms ?? 0);
  expect(freezes.filter((ms) => ms < LEASE_MS).length).toBeGreaterThan(freezes.length / 4);
  expect(freezes.filter((ms) => ms > 10_000).length).toBeGreaterThan(freezes.length / 10);
});

test('creates stacks with one to four instances, each of which has faults for some seed', () => {
  const counts = new Set(seeds.map((seed) => stackPlanOf(seed).clockOffsetsMs.length));
  const hurt = new Set(seeds.map((seed) => planOf(seed, { items: ITEMS }).stack?.instance ?? 0));
  expect([...counts].sort()).toEqual([1, 2, 3, 4]);
  expect(new Set([...hurt].map((instance) => instance % 4))).toEqual(new Set([0, 1, 2, 3]));
});

test('sets the clock of an instance ahead or behind, by at most ten minutes', () => {
  const offsets = seeds.flatMap((seed) => stackPlanOf(seed).clockOffsetsMs);
  expect(Math.max(...offsets)).toBeGreaterThan(500_000);
  expect(Math.max(...offsets)).toBeLessThanOrEqual(600_000);
  expect(Math.min(...offsets)).toBeLessThan(-500_000);
  expect(Math.min(...offsets)).toBeGreaterThanOrEqual(-600_000);
});
