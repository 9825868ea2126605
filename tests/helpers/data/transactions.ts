/** Billing transactions whose sums are easy to compute. */
export interface TestTransaction {
  id: string;
  account: string;
  product: string;
  quantity: string;
  unitPrice: string;
  currency: string;
  time: string;
  country: string;
}

/** One transaction of 10.00 EUR net, in a country where the tax is 20 %. */
export const transaction = (id: number, account = 'acme'): TestTransaction => ({
  id: `t${id}`,
  account,
  product: 'support-hours',
  quantity: '2',
  unitPrice: '5.00',
  currency: 'EUR',
  time: '2026-11-01T00:00:00Z',
  country: 'AT',
});

export const transactions = (count: number): TestTransaction[] =>
  Array.from({ length: count }, (_, id) => transaction(id));
export const ndjson = (items: readonly unknown[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');
export const csv = (items: readonly TestTransaction[]): string =>
  [Object.keys(items[0] ?? {}).join(','), ...items.map((item) => Object.values(item).join(','))].join('\r\n');

/** The totals of `count` such transactions. */
export const totalsOf = (count: number): unknown => ({
  lines: count,
  net: `${count * 10}.00`,
  tax: `${count * 2}.00`,
  gross: `${count * 12}.00`,
});
