import { describe, expect, it } from 'vitest';
import { transaction } from '../../../../workloads/billing/transaction.ts';
import { usage } from './usage.ts';

describe('a transaction', () => {
  it.each([
    ['a whole number as quantity', { quantity: 3 }],
    ['a negative quantity, for a credit', { quantity: '-1.5', kind: 'credit' }],
    ['twelve digits and six', { quantity: '999999999999.999999' }],
    ['nine digits in the price', { unitPrice: '0.000000001' }],
    ['an offset in the time', { time: '2025-03-01T10:00:00+01:00' }],
    ['the empty cells of a CSV file', { kind: '', country: '' }],
    ['fields that it does not know', { note: 'kept by nobody' }],
  ])('may have %s', (_, fields) => {
    expect(transaction.safeParse(usage(fields)).success).toBe(true);
  });

  it.each([
    ['no account', { account: undefined }],
    ['an empty id', { id: '' }],
    ['a price as a number: it may have lost digits', { unitPrice: 0.1 }],
    ['a fractional number as quantity', { quantity: 1.5 }],
    ['a number beyond the exact ones', { quantity: 2 ** 53 }],
    ['a negative price', { unitPrice: '-1.00' }],
    ['a comma for a point', { unitPrice: '1,50' }],
    ['an exponent', { quantity: '1e3' }],
    ['ten digits after the point', { unitPrice: '0.0000000001' }],
    ['an unknown currency', { currency: 'XXD' }],
    ['a currency in lower case', { currency: 'eur' }],
    ['a day that does not exist', { time: '2025-02-30T00:00:00Z' }],
    ['a time without offset', { time: '2025-02-01T00:00:00' }],
    ['another kind', { kind: 'refund' }],
    ['a country by name', { country: 'Germany' }],
  ])('must not have %s', (_, fields) => {
    expect(transaction.safeParse(usage(fields)).success).toBe(false);
  });
});
