import { expect, test } from 'vitest';
import { backoffMs } from '../../../shared/drain/backoff.ts';

const BOUNDS = { minIdleMs: 100, maxIdleMs: 60_000 };

// delta = (2^idleCount - 1) x random(80..120 ms); delay = min(minIdle + delta, maxIdle)
test.each([
  { idleCount: 1, random: 0, delay: 180 },
  { idleCount: 1, random: 0.5, delay: 200 },
  { idleCount: 2, random: 0, delay: 340 },
  { idleCount: 2, random: 0.5, delay: 400 },
  { idleCount: 3, random: 0.5, delay: 800 },
  { idleCount: 5, random: 0.25, delay: 2_890 },
  { idleCount: 9, random: 0.5, delay: 51_200 },
  { idleCount: 10, random: 0.5, delay: 60_000 },
  { idleCount: 2_000, random: 0, delay: 60_000 },
])('after $idleCount empty receives, with random $random: $delay ms', ({ idleCount, random, delay }) => {
  expect(backoffMs(idleCount, random, BOUNDS)).toBeCloseTo(delay, 6);
});

test('the default rises from about 0.1 s to one second', () => {
  const delays = [1, 2, 3, 4].map((idleCount) => backoffMs(idleCount, 0.5));

  expect(delays).toEqual([100, 300, 700, 1_000]);
});
