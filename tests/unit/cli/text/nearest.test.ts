import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from '../../../../cli/text/nearest.ts';

const WORKLOADS = ['billing', 'payouts', 'media'];

describe('the nearest candidate', () => {
  it.each([
    ['biling', 'billing'],
    ['Billing', 'billing'],
    ['blililng', 'billing'],
    ['bililng', 'billing'],
    ['payout', 'payouts'],
    ['pay', 'payouts'],
    ['meida', 'media'],
  ])('of %s is %s', (text, near) => {
    expect(nearest(text, WORKLOADS)).toBe(near);
  });

  it.each(['', 'x', 'invoices', 'bi'])('of "%s" does not exist', (text) => {
    expect(nearest(text, WORKLOADS)).toBeUndefined();
    expect(didYouMean(text, WORKLOADS)).toBe('');
  });

  it('is the one with the fewest edits', () => {
    expect(nearest('billing2', ['billing-b', 'billing3', 'billing'])).toBe('billing3');
    expect(didYouMean('jsn', ['table', 'csv', 'json'])).toBe(' Did you mean json?');
  });
});
