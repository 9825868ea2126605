/** The cost of a request, as the header `sluice-cost`. */
import type { Operations } from '../../contract/operations.ts';
import { THROTTLED } from '../../cost/meter.ts';
import { requestUsd } from '../../cost/price.ts';
import type { PriceSheet } from '../../cost/sheet.ts';

export const COST_HEADER = 'sluice-cost';

/** The operations of a request, and the duration of its function. */
export interface Spent {
  operations: Operations;
  seconds: number;
}

/** Enough for the read of one table row, which costs 3.6e-8. */
const USD_DIGITS = 9;

/**
 * Formats the header, such as `usd=0.00005244, table.query=1`: a dictionary (RFC 9651), except that `usd` has more decimals
 * than the three of that standard.
 */
export function costOf({ operations, seconds }: Spent, prices: PriceSheet): string {
  const { [THROTTLED]: _refused, ...counted } = operations;
  const usd = requestUsd({ operations: counted, seconds }, prices).toFixed(USD_DIGITS);
  const members = Object.entries(counted).map(([name, n]) => `${name}=${n}`);
  return [`usd=${usd}`, ...members.sort()].join(', ');
}
