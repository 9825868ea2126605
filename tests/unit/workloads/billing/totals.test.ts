import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateTransaction } from '../../../../workloads/billing/rate.ts';
import { addLine, mergeTotals, noTotals, type Totals, totalsKey } from '../../../../workloads/billing/totals.ts';
import { transaction } from '../../../../workloads/billing/transaction.ts';
import { usage } from './usage.ts';

const line = (cents: number) =>
  rateTransaction(
    transaction.parse(usage({ quantity: cents, unitPrice: '0.01', ...(cents < 0 ? { kind: 'credit' } : {}) })),
  );
const total = (lines: ReturnType<typeof line>[]): Totals => lines.reduce(addLine, noTotals());

describe('totals', () => {
  it('are by account and currency', () => {
    expect(totalsKey({ ...line(1), account: 'a|b', currency: 'JPY' })).toBe('a|b|JPY');
  });

  it('add up lines and credits', () => {
    expect(total([line(1_000), line(250), line(-250)])).toEqual({
      lines: 3,
      net: '10.00',
      tax: '1.90',
      gross: '11.90',
    });
  });

  it('are the same however the lines are split over chunks, also through JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9_999, max: 9_999 }), { minLength: 1 }), fc.nat(), (cents, cut) => {
        const lines = cents.map(line);
        const at = cut % lines.length;
        const stored = JSON.parse(JSON.stringify(total(lines.slice(at)))) as Totals;
        expect(mergeTotals(total(lines.slice(0, at)), stored)).toEqual(total(lines));
      }),
    );
  });
});
