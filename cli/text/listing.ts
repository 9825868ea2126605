/** Formats lists as tables for people and as CSV for spreadsheets, with the same columns. */
import { csvLine } from '../../shared/http/edge/csv.ts';
import { formatCount, formatTable } from './format.ts';

/** A column of a list. */
export interface Column<T> {
  /** Name of the field in JSON and CSV. */
  field: string;
  /** Title of the column in a table; defaults to `field`. */
  title?: string;
  value(entry: T): unknown;
  /** Formats the cell of a table. Defaults to the value as text: numbers with commas, null as empty. */
  shown?(entry: T): string;
}

/** Formats entries as a table for people. */
export const listTable = <T>(columns: readonly Column<T>[], entries: readonly T[]): string[] =>
  formatTable([
    columns.map(({ field, title }) => title ?? field),
    ...entries.map((entry) => columns.map((column) => column.shown?.(entry) ?? shownOf(column.value(entry)))),
  ]);

/** Formats entries as CSV (RFC 4180) with a header, and with cells that a spreadsheet does not execute as formulas. */
export const listCsv = <T>(columns: readonly Column<T>[], entries: readonly T[]): string =>
  [columns.map(({ field }) => field), ...entries.map((entry) => columns.map(({ value }) => value(entry)))]
    .map(csvLine)
    .join('');

const shownOf = (value: unknown): string =>
  typeof value === 'number' ? formatCount(value) : value === null || value === undefined ? '' : String(value);
