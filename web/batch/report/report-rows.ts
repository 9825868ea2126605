import { isExactNumber } from '../../../shared/contract/text/exact-json.ts';
import type { ReportRow } from '../../api/types.ts';

/** The one column of values that are no objects. */
const VALUE = 'value';
const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
/** Columns are found in the first rows; a report has rows of one shape. */
const LOOKED_AT = 200;

/** What a row has in a column. */
export function cellOf({ value }: ReportRow, column: string): unknown {
  if (!hasFields(value)) return column === VALUE ? value : undefined;
  return Object.entries(value).find(([name]) => name === column)?.[1];
}

/** A number with more digits than a double holds is an object, too: see exact-json.ts. */
const hasFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isExactNumber(value);

/** A cell as text. */
export const cellText = (cell: unknown): string =>
  cell === undefined || cell === null ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell);

/** The number in a cell; decimals are often text, as a report is exact. NaN for none. */
export const cellNumber = (cell: unknown): number =>
  typeof cell === 'number'
    ? cell
    : isExactNumber(cell) || (typeof cell === 'string' && NUMBER.test(cell))
      ? Number(cellText(cell))
      : Number.NaN;

/** The columns beside the key, in the order in which they come. */
export function columnsOf(rows: readonly ReportRow[]): string[] {
  const names = rows.slice(0, LOOKED_AT).flatMap(({ value }) => (hasFields(value) ? Object.keys(value) : [VALUE]));
  return [...new Set(names)];
}

/** Columns that hold numbers and nothing else. */
export const numericColumns = (rows: readonly ReportRow[], columns: readonly string[]): string[] =>
  columns.filter((column) => rows.slice(0, LOOKED_AT).every((row) => !Number.isNaN(cellNumber(cellOf(row, column)))));

/** Largest first; rows as they are when the column has no numbers. */
export function sortRows(rows: readonly ReportRow[], column: string): ReportRow[] {
  const withNumber = rows.map((row) => ({ row, number: cellNumber(cellOf(row, column)) }));
  return withNumber.sort((a, b) => b.number - a.number || 0).map(({ row }) => row);
}
