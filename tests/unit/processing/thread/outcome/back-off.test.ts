import { describe, expect, it } from 'vitest';
import { retryAfterSeconds, retryDelayMs } from '../../../../../shared/processing/thread/outcome/back-off.ts';
import { Retry } from '../../../../../shared/workload/errors.ts';

const DEFAULT = { attempts: 5, firstDelaySeconds: 1, factor: 2, maxDelaySeconds: 900, jitter: 0.2 };

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
    [1, 0.5, Number.POSITIVE_INFINITY, 604_800_000],
  ])('waits after %i failed attempts (random %f, after %s s) %i ms', (failed, random, after, expected) => {
    expect(retryDelayMs(DEFAULT, failed, random, after)).toBe(expected);
  });

  it.each([
    // policy, failed attempts, random, expected
    [{ firstDelaySeconds: 0.25 }, 3, 0.5, 1_000],
    [{ firstDelaySeconds: 0 }, 9, 0.5, 0],
    [{ factor: 1 }, 9, 0.5, 1_000],
    [{ factor: 1.5 }, 3, 0.5, 2_250],
    [{ maxDelaySeconds: 3 }, 3, 0.5, 3_000],
    [{ jitter: 0 }, 2, 0, 2_000],
    [{ jitter: 1 }, 1, 0, 0],
    [{ jitter: 1, firstDelaySeconds: 604_800, maxDelaySeconds: 604_800 }, 1, 1, 604_800_000],
  ])('of a policy with %j waits after %i failed attempts (random %f) %i ms', (policy, failed, random, expected) => {
    expect(retryDelayMs({ ...DEFAULT, ...policy }, failed, random)).toBe(expected);
  });
});

describe('retryAfterSeconds', () => {
  it.each([
    [30, 30],
    [0, 0],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [-5, undefined],
    [Number.NaN, undefined],
    ['soon' as never, undefined],
  ])('reads a wait of %s as %s', (after, expected) => {
    expect(retryAfterSeconds(new Retry('later', { after }))).toBe(expected);
  });
});
