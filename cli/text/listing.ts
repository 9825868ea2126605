/** Formats lists as tables for people and as CSV for spreadsheets, with the same columns. */
import { csvLine } from '../../shared/http/edge/csv.ts';
import { formatCount, formatTable } from './format.ts';

/** A column of a list: a field of its entries, or a value that is derived from them. */
export type Column<T> = (
  | { field: keyof T & string; value?: undefined }
  | { field: string; value(entry: T): unknown }
) & {
  /** Title of the column in a table; defaults to `field`, the name in JSON and CSV. */
  title?: string;
  /** Formats the cell of a table. Defaults to the value as text: numbers with commas, null as empty. */
  shown?(entry: T): string;
};

const cellOf = <T>({ field, value }: Column<T>, entry: T): unknown =>
  value === undefined ? entry[field as keyof T] : value(entry);

/** Formats entries as a table for people. */
export const listTable = <T>(columns: readonly Column<T>[], entries: readonly T[]): string[] =>
  formatTable([
    columns.map(({ field, title }) => title ?? field),
    ...entries.map((entry) => columns.map((column) => column.shown?.(entry) ?? shownOf(cellOf(column, entry)))),
  ]);

/** Formats entries as CSV (RFC 4180) with a header, and with cells that a spreadsheet does not execute as formulas. */
export const listCsv = <T>(columns: readonly Column<T>[], entries: readonly T[]): string =>
  [columns.map(({ field }) => field), ...entries.map((entry) => columns.map((column) => cellOf(column, entry)))]
    .map(csvLine)
    .join('');

const shownOf = (value: unknown): string =>
  typeof value === 'number' ? formatCount(value) : value === null || value === undefined ? '' : String(value);
