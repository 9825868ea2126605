import { signal } from '@preact/signals';

/** The costs that this page has caused since it was opened, as counted by the server. */
export interface Spending {
  requests: number;
  /** Storage, Service Bus and durable operations. */
  operations: number;
  /** Cost of these operations and of the executions, by the price sheet of the app. */
  usd: number;
}

/** Shown in the page, so that the price of watching is visible. */
export const spending = signal<Spending>({ requests: 0, operations: 0, usd: 0 });

/**
 * Counts a request by the `sluice-cost` header of its response: `usd=<number>, <operation>=<count>, …` (a dictionary of
 * RFC 9651). A response without it, for example from a gateway, only increments the number of requests.
 */
export function spend(header: string | null): void {
  const { requests, operations, usd } = spending.peek();
  const fields = new Map((header ?? '').split(',').map((field) => field.trim().split('=') as [string, string]));
  const ownUsd = Number(fields.get('usd') ?? 0) || 0;
  fields.delete('usd');
  const own = [...fields.values()].reduce((sum, value) => sum + (Number(value) || 0), 0);
  spending.value = { requests: requests + 1, operations: operations + own, usd: usd + ownUsd };
}
