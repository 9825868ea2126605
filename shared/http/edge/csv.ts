/** CSV (RFC 4180) that a spreadsheet shows as text and never runs. */

/** Signs that open a formula, after any white space, in ASCII and full width; a tab or line break that does so itself. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
/** A number is no formula, whatever its sign: amounts are decimals in text. */
const NUMBER = /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** One cell: absent and null are empty, objects and arrays their JSON, a would-be formula is opened by an apostrophe. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = typeof value === 'string' && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return quotedCell(safe);
}

/** A text as a cell, in quotes where it needs them. */
export const quotedCell = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** One record, with its line end. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`;

/** Whether a value spreads over named columns. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names of all fields in the order of their first appearance. */
export function columnsOf(values: Iterable<unknown>): string[] {
  const names = new Set<string>();
  for (const value of values) {
    if (isRecord(value)) for (const name of Object.keys(value)) names.add(name);
  }
  return [...names];
}

/** A field of a result; undefined when it is not the record's own: a column may be named as what all objects inherit. */
export const fieldOf = (record: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;
