import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeOf } from '../../../../demo/verify/charge.ts';
import { writeAmount } from '../../../../demo/verify/fraction.ts';
import type { ItemContext } from '../../../../shared/workload/define.ts';
import type { InvoiceLine } from '../../../../workloads/billing/rate.ts';
import billing from '../../../../workloads/billing.ts';
import { usage } from '../../workloads/billing/usage.ts';

/** The result of the workload for a record; undefined for a dead letter. */
function billed(record: unknown): InvoiceLine | undefined {
  const checked = billing.item['~standard'].validate(record);
  if (checked instanceof Promise) throw new Error('Expected a schema that answers at once');
  if (checked.issues) return undefined;
  const context = {} as ItemContext; // Billing uses nothing but the item.
  try {
    return billing.map?.(checked.value, context) as InvoiceLine;
  } catch {
    return undefined;
  }
}

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const decimal = (decimals: number) =>
  fc.oneof(
    digits(12),
    fc.tuple(digits(12), digits(decimals)).map(([whole, rest]) => `${whole}.${rest}`),
  );
const odd = fc.constantFrom<unknown>(
  '',
  '-',
  '1.',
  '.5',
  '1,0',
  '1e3',
  '-0',
  '-0.5',
  ' 1',
  null,
  0.5,
  -3,
  2 ** 60,
  [],
  {},
  true,
);
const record = fc.record({
  product: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<unknown>('api-calls', 'storage-gb', 'egress-gb', 'seat') },
    odd,
  ),
  quantity: fc.oneof<fc.Arbitrary<unknown>[]>(
    decimal(6),
    decimal(6).map((text) => `-${text}`),
    fc.integer(),
    decimal(8),
    odd,
  ),
  unitPrice: fc.oneof<fc.Arbitrary<unknown>[]>(decimal(9), decimal(9), decimal(11), odd),
  currency: fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>('EUR', 'JPY', 'KWD', 'CHF', 'GBP') }, odd),
  country: fc.constantFrom<unknown>(undefined, '', 'FR', 'JP', 'XX', 'fr', null),
  kind: fc.constantFrom<unknown>(undefined, '', 'usage', 'credit', 'refund', 7),
  time: fc.constantFrom(
    '2025-03-01T00:00:00Z',
    '2024-02-29T23:59:59.5+05:30',
    '2025-02-29T00:00:00Z',
    '2025-03-01',
    '2025-03-01T24:00:00Z',
  ),
});

describe('the independently calculated charge', () => {
  it('equals what the workload bills, for any record', () => {
    fc.assert(
      fc.property(record, (fields) => {
        const charge = chargeOf(usage(fields));
        const line = billed(usage(fields));
        const write = (minor: bigint): string => writeAmount(minor, charge?.decimals ?? 0);
        expect(
          charge && { net: write(charge.net), tax: write(charge.tax), gross: write(charge.net + charge.tax) },
        ).toEqual(line && { net: line.net, tax: line.tax, gross: line.gross });
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([null, 7, 'text', [], {}])('does not exist for %j', (value) => {
    expect(chargeOf(value)).toBeUndefined();
  });
});
