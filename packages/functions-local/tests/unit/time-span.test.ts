import { describe, expect, it } from 'vitest';
import { formatTimeSpan, parseTimeSpan } from '../../src/time-span.ts';

describe('parseTimeSpan', () => {
  it.each([
    ['00:00:02', 2_000],
    ['00:05', 300_000],
    ['1.02:03:04.5', 93_784_500],
    ['6.00:00:00', 518_400_000],
    ['00:00:00.0010000', 1],
    ['-00:00:01', -1_000],
    ['24:00:00', 2_073_600_000],
    ['23:59:59', 86_399_000],
    ['7', 604_800_000],
  ])('reads %s as %d ms', (text, expected) => expect(parseTimeSpan(text)).toBe(expected));

  it.each(['', 'five', '00:60:00', '00:00:60', '1.24:00:00', '1:2:3:4', '* * * * *'])('refuses %j', (text) => {
    expect(parseTimeSpan(text)).toBeUndefined();
  });
});

describe('formatTimeSpan', () => {
  it.each([
    [2_000, '00:00:02'],
    [500, '00:00:00.5000000'],
    [90_061_000, '1.01:01:01'],
  ])('prints %d ms as %s', (ms, expected) => expect(formatTimeSpan(ms)).toBe(expected));
});
