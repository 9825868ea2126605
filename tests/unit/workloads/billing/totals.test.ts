import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateTransaction } from '../../../../workloads/billing/rate.ts';
import { addLine, mergeSums, noSums, type Sums, totalsKey, totalsOf } from '../../../../workloads/billing/totals.ts';
import { transaction } from '../../../../workloads/billing/transaction.ts';
import { usage } from './usage.ts';

const line = (cents: number) =>
  rateTransaction(
    transaction.parse(usage({ quantity: cents, unitPrice: '0.01', ...(cents < 0 ? { kind: 'credit' } : {}) })),
  );
const sums = (lines: ReturnType<typeof line>[]): Sums => lines.reduce(addLine, noSums());

describe('totals', () => {
  it('are by account and currency', () => {
    expect(totalsKey({ ...line(1), account: 'a|b', currency: 'JPY' })).toBe('a|b|JPY');
  });

  it('add up lines and credits', () => {
    expect(totalsOf('acme|EUR', sums([line(1_000), line(250), line(-250)]))).toEqual({
      lines: 3,
      net: '10.00',
      tax: '1.90',
      gross: '11.90',
    });
  });

  it.each([
    ['JPY', '12', '12'],
    ['EUR', '0.12', '0.12'],
    ['KWD', '-0.012', '-0.012'],
    ['EUR', '123456789012345678901.50', '123456789012345678901.50'],
  ] as const)('have the digits of their currency: %s %s', (currency, amount, written) => {
    const own = { ...line(1), currency, net: amount, tax: amount, gross: amount };
    expect(totalsOf(`acme|${currency}`, addLine(noSums(), own))).toEqual({
      lines: 1,
      net: written,
      tax: written,
      gross: written,
    });
  });

  it('are refused if a partial aggregate contains decimals instead of minor units', () => {
    const decimals = { lines: 1, net: '10.00', tax: '0.00', gross: '10.00' };
    expect(() => mergeSums(noSums(), decimals)).toThrow(SyntaxError);
  });

  it('are independent of the division of lines into chunks, and of JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9_999, max: 9_999 }), { minLength: 1 }), fc.nat(), (cents, cut) => {
        const lines = cents.map(line);
        const at = cut % lines.length;
        const stored = JSON.parse(JSON.stringify(sums(lines.slice(at)))) as Sums;
        expect(mergeSums(sums(lines.slice(0, at)), stored)).toEqual(sums(lines));
      }),
    );
  });
});
