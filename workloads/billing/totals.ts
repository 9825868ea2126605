import { CURRENCIES, type Currency } from './currency.ts';
import { addUnits, formatUnits, toUnits, type Units } from './decimal.ts';
import type { InvoiceLine } from './rate.ts';

/** The running totals of an account in one currency, in minor units, so that an addition formats no decimals. */
export interface Sums {
  lines: number;
  net: Units;
  tax: Units;
  gross: Units;
}

/** A row of the report. Decimals are text, because a report must be JSON and exact. */
export interface Totals {
  lines: number;
  net: string;
  tax: string;
  gross: string;
}

/** Returns `<account>|<currency>`; unambiguous for any account, because a currency always has three letters. */
export const totalsKey = (line: InvoiceLine): string => `${line.account}|${line.currency}`;

export const noSums = (): Sums => ({ lines: 0, net: 0, tax: 0, gross: 0 });

/** Adds a line to `sums`, in place. */
export function addLine(sums: Sums, line: InvoiceLine): Sums {
  const { exponent } = CURRENCIES[line.currency];
  sums.lines += 1;
  sums.net = addUnits(sums.net, toUnits(line.net, exponent));
  sums.tax = addUnits(sums.tax, toUnits(line.tax, exponent));
  sums.gross = addUnits(sums.gross, toUnits(line.gross, exponent));
  return sums;
}

/** Adds `other` to `sums`, in place. */
export function mergeSums(sums: Sums, other: Sums): Sums {
  sums.lines += other.lines;
  sums.net = addUnits(sums.net, other.net);
  sums.tax = addUnits(sums.tax, other.tax);
  sums.gross = addUnits(sums.gross, other.gross);
  return sums;
}

/** Returns the report row of a key: its sums as decimals, with the digits of the currency's minor unit. */
export function totalsOf(key: string, { lines, net, tax, gross }: Sums): Totals {
  const { exponent } = CURRENCIES[key.slice(-CODE_LENGTH) as Currency];
  return {
    lines,
    net: formatUnits(net, exponent),
    tax: formatUnits(tax, exponent),
    gross: formatUnits(gross, exponent),
  };
}

const CODE_LENGTH = 3;
