import { expect, test } from 'vitest';
import { readTimeSpan } from '../../../../src/durable/history/time-span.ts';

test.each([
  ['00:00:02', 2_000],
  ['00:05', 300_000],
  ['1.02:03:04', 93_784_000],
  ['6.00:00:00', 518_400_000],
  ['00:00:00.05', 50],
])('%s is %d ms', (text, milliseconds) => {
  expect(readTimeSpan(text)).toBe(milliseconds);
});

test.each([['30'], ['24:00:00'], ['00:60:00'], ['soon'], ['']])('%j is no time span', (text) => {
  expect(readTimeSpan(text)).toBeUndefined();
});
