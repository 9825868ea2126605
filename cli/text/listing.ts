/** Lists of what an app has, for people and for spreadsheets: the same columns, in two spellings. */
import { csvLine } from '../../shared/http/edge/csv.ts';
import { formatCount, formatTable } from './format.ts';

/** A column of a list. */
export interface Column<T> {
  /** Name of the field, as JSON and CSV have it. */
  field: string;
  /** Head of the column in a table; default `field`. */
  title?: string;
  value(entry: T): unknown;
  /** The cell of a table; default: numbers with commas, nothing for null, else the text. */
  shown?(entry: T): string;
}

/** A table for people. */
export const listTable = <T>(columns: readonly Column<T>[], entries: readonly T[]): string[] =>
  formatTable([
    columns.map(({ field, title }) => title ?? field),
    ...entries.map((entry) => columns.map((column) => column.shown?.(entry) ?? shownOf(column.value(entry)))),
  ]);

/** CSV with a header, by RFC 4180, with cells that a spreadsheet does not run. */
export const listCsv = <T>(columns: readonly Column<T>[], entries: readonly T[]): string =>
  [columns.map(({ field }) => field), ...entries.map((entry) => columns.map(({ value }) => value(entry)))]
    .map(csvLine)
    .join('');

const shownOf = (value: unknown): string =>
  typeof value === 'number' ? formatCount(value) : value === null || value === undefined ? '' : String(value);
