import { describe, expect, it } from 'vitest';
import { formatBar, formatTable, formatTime, formatUsd } from '../../../../cli/text/format.ts';

describe('the text', () => {
  it('of a bar is full only at the end', () => {
    expect(formatBar(0.5)).toBe(`[${'#'.repeat(12)}${'.'.repeat(12)}]`);
    expect(formatBar(0.999)).toBe(`[${'#'.repeat(23)}.]`);
    expect(formatBar(1)).toBe(`[${'#'.repeat(24)}]`);
  });

  it('of missing values is empty', () => {
    expect(formatBar(0)).toBe(`[${'.'.repeat(24)}]`);
    expect(formatTable([])).toEqual([]);
    expect([formatTime(null), formatUsd(null), formatUsd(0)]).toEqual(['', 'no price', '0.00 USD']);
  });

  it.each([
    [0.000012345, '0.000012 USD'],
    [0.0099, '0.0099 USD'],
    [12.345, '12.35 USD'],
  ])('of %s dollars has two significant digits or two decimals', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });

  it('of an amount contains the currency of its sheet, and a mark if a price has no verified source', () => {
    expect(formatUsd(1.5, { currency: 'EUR', unverified: [] })).toBe('1.50 EUR');
    expect(formatUsd(1.5, { currency: 'USD', unverified: ['log.gb'] })).toBe('1.50* USD');
  });
});
