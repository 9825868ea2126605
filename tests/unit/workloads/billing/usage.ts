/** A correct transaction with these `fields`. Seats have no discount: net is quantity times price. */
export function usage(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'tx-1',
    account: 'acct-1',
    product: 'support-seat',
    quantity: '1',
    unitPrice: '10.00',
    currency: 'EUR',
    time: '2025-03-01T00:00:00Z',
    ...fields,
  };
}
