import { signal } from '@preact/signals';

/** What this page itself has caused since it was opened, as the server has counted it. */
export interface Spending {
  requests: number;
  /** Storage, Service Bus and durable operations. */
  operations: number;
  /** Those and the executions, by the price sheet of the app. */
  usd: number;
}

/** Shown in the page, so that watching has a price that can be seen. */
export const spending = signal<Spending>({ requests: 0, operations: 0, usd: 0 });

/**
 * Counts a request by the header `sluice-cost` of its answer: `usd=<number>, <operation>=<count>, …` (a dictionary of RFC
 * 9651). An answer without it, as from a gateway, is a request alone.
 */
export function spend(header: string | null): void {
  const { requests, operations, usd } = spending.peek();
  const fields = new Map((header ?? '').split(',').map((field) => field.trim().split('=') as [string, string]));
  const ownUsd = Number(fields.get('usd') ?? 0) || 0;
  fields.delete('usd');
  const own = [...fields.values()].reduce((sum, value) => sum + (Number(value) || 0), 0);
  spending.value = { requests: requests + 1, operations: operations + own, usd: usd + ownUsd };
}
