import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from '../../../../cli/text/nearest.ts';

const WORKLOADS = ['billing', 'payouts', 'media'];

describe('the nearest of known names', () => {
  it.each([
    ['biling', 'billing'],
    ['Billing', 'billing'],
    ['blililng', 'billing'],
    ['bililng', 'billing'],
    ['payout', 'payouts'],
    ['pay', 'payouts'],
    ['meida', 'media'],
  ])('%s is %s', (text, near) => {
    expect(nearest(text, WORKLOADS)).toBe(near);
  });

  it.each(['', 'x', 'invoices', 'bi'])('"%s" is none of them', (text) => {
    expect(nearest(text, WORKLOADS)).toBeUndefined();
    expect(didYouMean(text, WORKLOADS)).toBe('');
  });

  it('is the one with the fewest changes', () => {
    expect(nearest('billing2', ['billing-b', 'billing3', 'billing'])).toBe('billing3');
    expect(didYouMean('jsn', ['table', 'csv', 'json'])).toBe(' Did you mean json?');
  });
});
