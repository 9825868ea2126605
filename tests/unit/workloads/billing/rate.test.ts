import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Reject } from '../../../../shared/workload/errors.ts';
import { type InvoiceLine, rateTransaction } from '../../../../workloads/billing/rate.ts';
import { transaction } from '../../../../workloads/billing/transaction.ts';
import { usage } from './usage.ts';

const rate = (fields: Record<string, unknown>): InvoiceLine => rateTransaction(transaction.parse(usage(fields)));

describe('rating', () => {
  it.each([
    // Quantity, price, currency, net, tax, gross.
    ['3', '19.99', 'EUR', '59.97', '11.39', '71.36'],
    ['1', '0.005', 'EUR', '0.01', '0.00', '0.01'],
    ['1', '0.004999999', 'EUR', '0.00', '0.00', '0.00'],
    ['1', '0.5', 'JPY', '1', '0', '1'],
    ['1', '1005', 'JPY', '1005', '101', '1106'],
    ['2.5', '0.0333', 'KWD', '0.083', '0.000', '0.083'],
    ['1', '100.00', 'CHF', '100.00', '8.10', '108.10'],
    ['0', '100.00', 'GBP', '0.00', '0.00', '0.00'],
    [
      '999999999999.999999',
      '999999999999.999999999',
      'USD',
      '999999999999999998999000.00',
      '0.00',
      '999999999999999998999000.00',
    ],
  ])('%s at %s %s: net %s, tax %s, gross %s', (quantity, unitPrice, currency, net, tax, gross) => {
    expect(rate({ quantity, unitPrice, currency })).toMatchObject({ net, tax, gross });
  });

  it.each([
    ['api-calls', '1000', '10.00'],
    ['api-calls', '1001', '10.01'],
    ['api-calls', '10000', '82.00'],
    ['api-calls', '20000', '142.00'],
    ['egress-gb', '100', '1.00'],
    ['egress-gb', '1100', '9.35'],
    ['storage-gb', '600.5', '5.90'],
    ['unheard-of', '20000', '200.00'],
    ['toString', '20000', '200.00'],
  ])('%s: a quantity of %s at 0.01 costs %s', (product, quantity, net) => {
    expect(rate({ product, quantity, unitPrice: '0.01' }).net).toBe(net);
  });

  it('taxes at the place of supply, otherwise in the home country of the currency', () => {
    const tax = (country: string): string => rate({ quantity: '10', country }).tax;
    expect([tax('FR'), tax('IT'), tax('CH'), tax('')]).toEqual(['20.00', '22.00', '8.10', '19.00']);
  });

  it('credits exactly the amount that the usage was billed', () => {
    const anyText = fc
      .bigInt({ min: 1n, max: 10n ** 12n })
      .map((units) => `${units / 1_000n}.${String(units % 1_000n).padStart(3, '0')}`);
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom('EUR', 'JPY', 'KWD', 'CHF'), (quantity, unitPrice, currency) => {
        const billed = rate({ product: 'egress-gb', quantity, unitPrice, currency });
        const credited = rate({ product: 'egress-gb', quantity: `-${quantity}`, unitPrice, currency, kind: 'credit' });
        for (const field of ['net', 'tax', 'gross'] as const) {
          expect(credited[field]).toBe(/[1-9]/.test(billed[field]) ? `-${billed[field]}` : billed[field]);
        }
      }),
    );
  });

  it('never bills less for a larger quantity', () => {
    const anyQuantity = fc.integer({ min: 0, max: 50_000 });
    fc.assert(
      fc.property(
        anyQuantity,
        anyQuantity,
        fc.constantFrom('api-calls', 'egress-gb', 'storage-gb'),
        (a, b, product) => {
          const net = (quantity: number): number => Number(rate({ product, quantity, unitPrice: '0.01' }).net);
          expect(net(Math.max(a, b))).toBeGreaterThanOrEqual(net(Math.min(a, b)));
        },
      ),
    );
  });

  it.each([
    ['negative usage', { quantity: '-1' }, 'a quantity zero or more for usage, got -1'],
    ['a credit that adds', { quantity: '1', kind: 'credit' }, 'a quantity below zero for a credit, got 1'],
    ['a credit of nothing', { quantity: '-0', kind: 'credit' }, 'below zero for a credit'],
    ['a country without a rate', { country: 'XX' }, 'a country with a tax rate, got "XX"'],
  ])('rejects %s', (_, fields, message) => {
    expect(() => rate(fields)).toThrow(Reject);
    expect(() => rate(fields)).toThrow(message);
  });

  it('keeps the fields that identify the line', () => {
    expect(rate({ quantity: 3 })).toEqual({
      id: 'tx-1',
      account: 'acct-1',
      product: 'support-seat',
      quantity: '3',
      net: '30.00',
      tax: '5.70',
      gross: '35.70',
      currency: 'EUR',
      time: '2025-03-01T00:00:00Z',
    });
  });
});
