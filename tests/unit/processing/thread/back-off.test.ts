import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../../shared/processing/thread/back-off.ts';

describe('retryDelayMs', () => {
  it.each([
    // failed attempts, random, after, expected
    [1, 0.5, undefined, 1_000],
    [2, 0.5, undefined, 2_000],
    [5, 0.5, undefined, 16_000],
    [1, 0, undefined, 800],
    [1, 1, undefined, 1_200],
    [40, 0.5, undefined, 900_000],
    [99, 1, undefined, 1_080_000],
    [1, 0.5, 30, 30_000],
    [5, 0.5, 3, 16_000],
    [1, 0.5, -5, 1_000],
    [1, 0.5, Number.NaN, 1_000],
    [1, 0.5, Number.POSITIVE_INFINITY, 604_800_000],
  ])('waits after %i failed attempts (random %f, after %s s) %i ms', (failed, random, after, expected) => {
    expect(retryDelayMs(failed, random, after)).toBe(expected);
  });
});
