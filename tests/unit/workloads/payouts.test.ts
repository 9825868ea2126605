import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import { addDecimals } from '../../../workloads/billing/decimal.ts';
import { type Distribution, distribute } from '../../../workloads/payouts/distribute.ts';
import { type Sale, sale } from '../../../workloads/payouts/sale.ts';
import payouts from '../../../workloads/payouts.ts';

const thirds = [
  { author: 'ada', share: '33.3334' },
  { author: 'bob', share: '33.3333' },
  { author: 'cyd', share: '33.3333' },
];
const sold = (change: Partial<Record<keyof Sale, unknown>> = {}): Sale =>
  sale.parse({
    ...{ id: 's1', work: 'atlas', amount: '9.99', currency: 'EUR', royalty: '70', authors: thirds },
    ...{ time: '2026-11-01T12:00:00Z', ...change },
  });
const paid = ({ payouts: parts }: Distribution) => parts.map(({ amount }) => amount);

describe('a sale', () => {
  it('is divided among its authors to the last cent', () => {
    const distribution = distribute(sold());
    expect(distribution.royalty).toBe('6.99');
    expect(paid(distribution)).toEqual(['2.33', '2.33', '2.33']);
    expect(paid(distribute(sold({ amount: '10.00' })))).toEqual(['2.34', '2.33', '2.33']);
  });

  it('is divided in the minor units of its currency', () => {
    expect(paid(distribute(sold({ amount: '1000', currency: 'JPY' })))).toEqual(['234', '233', '233']);
    expect(paid(distribute(sold({ amount: '1.000', currency: 'KWD' })))).toEqual(['0.234', '0.233', '0.233']);
  });

  it.each([
    [{ amount: '9.999' }, 'Expected whole minor units of EUR, got 9.999.'],
    [{ royalty: '100.1' }, 'Expected a percentage of at most 100, got 100.1.'],
    [{ authors: thirds.slice(1) }, 'The shares of "atlas" must sum to 100, got 66.6666.'],
    [{ authors: [0, 1].map(() => ({ author: 'ada', share: '50' })) }, '"atlas" lists an author twice.'],
  ])('of %j is refused', (change, message) => {
    expect(() => distribute(sold(change))).toThrow(message);
  });

  it('and its refund sum to zero for each author', () => {
    const amounts = fc.tuple(fc.nat(99_999), fc.nat(99)).map(([a, b]) => `${a}.${String(b).padStart(2, '0')}`);
    fc.assert(
      fc.property(amounts, fc.nat(100), (amount, royalty) => {
        const terms = { amount, royalty: String(royalty) };
        const back = paid(distribute(sold({ ...terms, kind: 'refund' })));
        const rest = paid(distribute(sold(terms))).map((there, i) => Number(addDecimals(there, back[i] ?? '')));
        expect(rest.every((one) => one === 0)).toBe(true);
      }),
    );
  });
});

describe('a batch', () => {
  it('results in a balance per author and currency', async () => {
    const both = [
      { author: 'ada', share: '60' },
      { author: 'bob', share: '40' },
    ];
    const items = [
      sold({ authors: both, amount: '10.00' }),
      sold({ authors: [{ author: 'ada', share: '100' }], amount: '500', currency: 'JPY' }),
      sold({ authors: both, amount: '1.01', kind: 'refund' }),
      sold({ authors: both.slice(1) }),
    ];
    const { report, deadLetters } = await runWorkload(payouts, items);
    expect(report).toEqual({
      'ada|EUR': { sales: 2, amount: '3.77' },
      'ada|JPY': { sales: 1, amount: '350' },
      'bob|EUR': { sales: 2, amount: '2.52' },
    });
    expect(deadLetters.map(({ index, reason }) => [index, reason])).toEqual([[3, 'rejected']]);
  });

  it('has the same report for any division into chunks', async () => {
    const items = Array.from({ length: 200 }, (_, i) => sold({ id: `s${i}`, amount: `${i}.${10 + (i % 90)}` }));
    const whole = await runWorkload(payouts, items);
    const cut = await runWorkload({ ...payouts, chunk: { maxItems: 7, maxBytes: 1_000_000 } }, items);
    expect(cut.chunks).toBe(29);
    expect(cut.report).toEqual(whole.report);
  });

  it.each([
    [100_000, 'high'],
    [100_001, 'bulk'],
  ])('of %d items is assigned to lane %s', (items, lane) => {
    expect(payouts.lane({ items, bytes: 0 })).toBe(lane);
  });
});
