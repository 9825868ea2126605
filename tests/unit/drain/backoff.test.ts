import { expect, test } from 'vitest';
import { backoffMs } from '../../../shared/drain/backoff.ts';

// (2^idleCount - 1) x random(80..120 ms), at most one second
test.each([
  { idleCount: 1, random: 0, delay: 80 },
  { idleCount: 1, random: 0.5, delay: 100 },
  { idleCount: 2, random: 0, delay: 240 },
  { idleCount: 2, random: 0.5, delay: 300 },
  { idleCount: 3, random: 0.25, delay: 630 },
  { idleCount: 3, random: 0.5, delay: 700 },
  { idleCount: 4, random: 0.5, delay: 1_000 },
  { idleCount: 2_000, random: 0, delay: 1_000 },
])('after $idleCount empty receives, with random $random: $delay ms', ({ idleCount, random, delay }) => {
  expect(backoffMs(idleCount, random)).toBeCloseTo(delay, 6);
});
