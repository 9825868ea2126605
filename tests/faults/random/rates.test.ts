import { expect, test } from 'vitest';
import { RATE_LIMIT } from '../app/items.ts';
import { createRateCheck } from './rates.ts';

const PER_MS = RATE_LIMIT.items / (RATE_LIMIT.perSeconds * 1_000);
const calls = (fromMs: number, seconds: number, share = 1): number[] =>
  Array.from({ length: seconds * 1_000 * PER_MS * share }, (_, n) => fromMs + n / (PER_MS * share));

test('calls at the rate are fine, over several runs too', () => {
  const check = createRateCheck();
  expect(check(calls(0, 15).toReversed())).toEqual([]);
  expect(check(calls(15_000, 15))).toEqual([]);
});

test('a run that is too fast is found', () => {
  expect(createRateCheck()(calls(0, 15, 1.1))).toEqual([expect.stringMatching(/^too fast: 1650\d items from/)]);
});

test('two runs that come too close to each other are found', () => {
  const check = createRateCheck();
  expect(check(calls(0, 10))).toEqual([]);
  expect(check(calls(8_000, 10))).toEqual([expect.stringMatching(/^too fast: /)]);
});
