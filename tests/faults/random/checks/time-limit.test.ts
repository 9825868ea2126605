import { expect, test } from 'vitest';
import { createScore } from './score.ts';
import { createTimeLimitCheck, TIMED_OUT } from './time-limit.ts';

test.each(['stallInvocation', 'freezeInstance'] as const)('a process that ends after %s is a fault', (kind) => {
  const score = createScore();
  const check = createTimeLimitCheck(score);

  check.planned({ kind });
  check.ended();

  expect(score.faultsOf(TIMED_OUT)).toBe(1);
  expect(score.isClean).toBe(true);
});

test('a process that ends at functionTimeout more often than faults explain is a problem', () => {
  const score = createScore();
  const check = createTimeLimitCheck(score);

  check.planned({ kind: 'stallInvocation' });
  check.planned({ kind: 'killInstance' });
  check.ended();
  check.ended();

  expect(score.faultsOf(TIMED_OUT)).toBe(2);
  expect(score.isClean).toBe(false);
});
