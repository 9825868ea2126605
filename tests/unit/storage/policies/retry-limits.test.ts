import { expect, test } from 'vitest';
import {
  delayMs,
  isPassing,
  RETRY_LIMITS,
  retryAfterMs,
  transferMs,
} from '../../../../shared/storage/policies/retry-limits.ts';

const header =
  (headers: Record<string, string>) =>
  (name: string): string | undefined =>
    headers[name];
const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';

test.each([
  [2, 0, 0],
  [2, 0.5, 200],
  [3, 0.5, 400],
  [5, 0.5, 1_600],
  [9, 0.5, 5_000],
])('before try %i, chance %d waits %i ms: exponential, full jitter, 10 s at most', (next, random, ms) => {
  expect(delayMs(next, { retryAfterMs: 0, random }, RETRY_LIMITS)).toBe(ms);
});

test.each([
  ['the least wait is what the service asks for', 3_000, 0.5, 3_000],
  ['no more of it than 30 s is obeyed', 3_600_000, 0.5, 30_000],
  ['a shorter one changes nothing', 100, 0.5, 200],
])('%s', (_what, asked, random, ms) => {
  expect(delayMs(2, { retryAfterMs: asked, random }, RETRY_LIMITS)).toBe(ms);
});

test.each<[string, Record<string, string>, number]>([
  ['nothing', {}, 0],
  ['seconds', { 'retry-after': '7' }, 7_000],
  ['a date, by the clock of the answer', { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT', date: DATE }, 5_000],
  ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT', date: DATE }, 0],
  ['a date in an answer without one', { 'retry-after': DATE }, 0],
  ['what is neither', { 'retry-after': 'soon', date: DATE }, 0],
  ['milliseconds, before seconds', { 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  ['milliseconds by the longer name', { 'x-ms-retry-after-ms': '40' }, 40],
])('Retry-After: %s', (_what, headers, ms) => {
  expect(retryAfterMs(header(headers))).toBe(ms);
});

test('repeats temporary statuses, not permanent ones', () => {
  const statuses = [200, 400, 404, 408, 409, 412, 413, 429, 500, 501, 502, 503, 504, 505];

  expect(statuses.filter(isPassing)).toEqual([408, 429, 500, 502, 503, 504]);
});

test('the transfer of a 4 MiB block may take 16 s', () => {
  expect(transferMs(4 * 1024 * 1024, RETRY_LIMITS)).toBe(16_000);
});

test('one try without a response is shorter than half a lease, and all tries are shorter than a request', () => {
  expect(RETRY_LIMITS.totalMs).toBeLessThan(150_000);
  expect(RETRY_LIMITS.tryMs).toBeLessThan(RETRY_LIMITS.totalMs);
});
