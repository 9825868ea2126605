/** Formats amounts, ratios and tables of the cost model. */

import { formatCount } from '../../../cli/text/format.ts';
import type { Line } from '../../../shared/cost/bill-lines.ts';
import type { PriceClass } from '../../../shared/cost/sheet.ts';

type Unverified = readonly PriceClass[];

/** Formats an amount with three decimals, below 0.01 with two significant digits. `*` marks unverified prices. */
export function amount(value: number | null, unverified: Unverified = []): string {
  if (value === null) return 'no price';
  const text = value > 0 && value < 0.01 ? Number(value.toPrecision(2)).toFixed(decimalsOf(value)) : value.toFixed(3);
  return `${text}${unverified.length > 0 ? '*' : ''}`;
}

/** Formats a ratio: 0.03, 3.06, 3,145. */
export const formatTimes = (times: number): string => (times < 100 ? times.toFixed(2) : formatCount(times));

const decimalsOf = (value: number): number => Math.max(3, 1 - Math.floor(Math.log10(value)));

const LINE_RIGHT_FROM = 3;
const lineHead = (currency: string): string[] => ['when', 'who', 'does', 'per month', currency];

const cells = (line: Line): string[] => [
  line.when,
  line.who,
  line.does,
  line.count === null ? '' : line.count < 10 ? String(Number(line.count.toFixed(2))) : formatCount(line.count),
  amount(line.usd, line.unverified),
];

/** Formats rows as columns. Those from `rightFrom` on are right-aligned, with room for the mark. */
export function table(rows: string[][], rightFrom: number): string[] {
  const marked = rows.map((row) =>
    row.map((cell, column) => (column < rightFrom || cell.endsWith('*') ? cell : `${cell} `)),
  );
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...marked.map((row) => row[column]?.length ?? 0)));
  const pad = (text: string, column: number) =>
    column < rightFrom ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return marked.map((row) => `  ${row.map(pad).join('  ')}`.trimEnd());
}

/** Formats the lines of a bill as a table: when, who, what, how often per month, and the amount. */
export const lineTable = (lines: readonly Line[], currency: string): string[] =>
  table([lineHead(currency), ...lines.map(cells)], LINE_RIGHT_FROM);
