import { isExactNumber } from '../../../shared/contract/text/exact-json.ts';
export interface ReportRow {
  key: string;
  value: unknown;
}

/** The single column of values that are not objects. */
const VALUE = 'value';
const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
/** The first rows determine the columns, because all rows of a report have the same shape. */
const LOOKED_AT = 200;

/** Returns the value of a row in a column. */
export function cellOf({ value }: ReportRow, column: string): unknown {
  if (!hasFields(value)) return column === VALUE ? value : undefined;
  return Object.entries(value).find(([name]) => name === column)?.[1];
}

/** A number with more digits than a double holds is an object, too; see exact-json.ts. */
const hasFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isExactNumber(value);

/** Returns a cell as text. */
export const cellText = (cell: unknown): string =>
  cell === undefined || cell === null ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell);

/** Returns the number in a cell; NaN if there is none. Decimals are often text, because a report is exact. */
export const cellNumber = (cell: unknown): number =>
  typeof cell === 'number'
    ? cell
    : isExactNumber(cell) || (typeof cell === 'string' && NUMBER.test(cell))
      ? Number(cellText(cell))
      : Number.NaN;

/** Returns the columns beside the key, in their order of appearance. */
export function columnsOf(rows: readonly ReportRow[]): string[] {
  const names = rows.slice(0, LOOKED_AT).flatMap(({ value }) => (hasFields(value) ? Object.keys(value) : [VALUE]));
  return [...new Set(names)];
}

/** Returns the columns that contain only numbers. */
export const numericColumns = (rows: readonly ReportRow[], columns: readonly string[]): string[] =>
  columns.filter((column) => rows.slice(0, LOOKED_AT).every((row) => !Number.isNaN(cellNumber(cellOf(row, column)))));

/** Sorts rows by a column, largest first. If the column has no numbers, the order stays. */
export function sortRows(rows: readonly ReportRow[], column: string): ReportRow[] {
  const withNumber = rows.map((row) => ({ row, number: cellNumber(cellOf(row, column)) }));
  return withNumber.sort((a, b) => b.number - a.number || 0).map(({ row }) => row);
}
