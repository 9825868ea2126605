import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../../src/host/invocation/retry.ts';

const exponential = {
  retryStrategy: 'exponentialBackoff' as const,
  maxRetryCount: 5,
  minimumInterval: { seconds: 2 },
  maximumInterval: { seconds: 20 },
};

describe('retryDelayMs', () => {
  it('is constant for fixedDelay', () => {
    const options = { retryStrategy: 'fixedDelay' as const, maxRetryCount: 3, delayInterval: { seconds: 7 } };
    expect([1, 2, 9].map((attempt) => retryDelayMs(options, attempt, 0.3))).toEqual([7_000, 7_000, 7_000]);
  });

  it.each([
    [1, 0.5, 2_000],
    [2, 0.5, 4_000],
    [3, 0.5, 6_000],
    [4, 0, 8_400],
    [4, 1, 11_600],
    [9, 0.5, 20_000],
  ])('attempt %d with random %d waits %d ms', (attempt, random, expected) => {
    expect(retryDelayMs(exponential, attempt, random)).toBeCloseTo(expected);
  });
});
