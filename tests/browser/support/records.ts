/** Usage records for the billing workload. */
export interface Usage {
  id: string;
  account: string;
  quantity: string;
  [field: string]: unknown;
}

/** A valid record, unless `fields` make it invalid. */
export const usage = (n: number, fields: Partial<Usage> = {}): Usage => ({
  id: `tx-${n}`,
  account: `acct-${n % 5}`,
  product: 'compute-hours',
  quantity: '2',
  unitPrice: '0.25',
  currency: 'EUR',
  time: '2025-03-01T12:00:00Z',
  ...fields,
});

/** Creates `count` valid records. */
export const goodRecords = (count: number): Usage[] => Array.from({ length: count }, (_, n) => usage(n));
