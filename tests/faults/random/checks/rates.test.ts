import { expect, test } from 'vitest';
import { RATE_LIMIT } from '../../app/items.ts';
import { createRateCheck } from './rates.ts';

const PER_MS = RATE_LIMIT.items / (RATE_LIMIT.perSeconds * 1_000);
const calls = (fromMs: number, seconds: number, share = 1): number[] =>
  Array.from({ length: seconds * 1_000 * PER_MS * share }, (_, n) => fromMs + n / (PER_MS * share));

test('accepts calls at the rate, also over several runs', () => {
  const check = createRateCheck();
  const first = check(calls(0, 15).toReversed());
  expect(first.share).toBeCloseTo(1, 3);
  expect(first.wrong).toEqual([]);
  expect(check(calls(15_000, 15)).wrong).toEqual([]);
});

test('finds a run that is too fast', () => {
  const { share, wrong } = createRateCheck()(calls(0, 15, 1.1));
  expect(share).toBeCloseTo(1.1, 3);
  expect(wrong).toEqual([expect.stringMatching(/^too fast: 1100\d items from/)]);
});

test('finds two runs that follow each other too closely', () => {
  const check = createRateCheck();
  expect(check(calls(0, 10)).wrong).toEqual([]);
  expect(check(calls(8_000, 10)).wrong).toEqual([expect.stringMatching(/^too fast: /)]);
});
