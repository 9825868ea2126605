import { addDecimals } from './decimal.ts';
import type { InvoiceLine } from './rate.ts';

/** What an account owes in one currency: a row of the report. Decimals stay text, as a report must be JSON and exact. */
export interface Totals {
  lines: number;
  net: string;
  tax: string;
  gross: string;
}

/** `<account>|<currency>`; unambiguous for any account, as a currency is always the last three letters. */
export const totalsKey = (line: InvoiceLine): string => `${line.account}|${line.currency}`;

/** The totals of no lines. */
export const noTotals = (): Totals => ({ lines: 0, net: '0', tax: '0', gross: '0' });

/** Adds a line to `totals`, in place. */
export const addLine = (totals: Totals, line: InvoiceLine): Totals => addAmounts(totals, line, 1);

/** Adds `other` to `totals`, in place. */
export const mergeTotals = (totals: Totals, other: Totals): Totals => addAmounts(totals, other, other.lines);

function addAmounts(totals: Totals, amounts: { net: string; tax: string; gross: string }, lines: number): Totals {
  totals.lines += lines;
  totals.net = addDecimals(totals.net, amounts.net);
  totals.tax = addDecimals(totals.tax, amounts.tax);
  totals.gross = addDecimals(totals.gross, amounts.gross);
  return totals;
}
