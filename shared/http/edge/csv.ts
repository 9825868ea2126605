/** CSV (RFC 4180) that a spreadsheet shows as text and never evaluates. */

/** Characters that start a formula, also after white space, in ASCII and full width; or a tab or line break at the start. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
/** A number is not a formula, even with a sign: amounts are decimals in text. */
const NUMBER = /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/;
/**
 * Where a cell begins for a spreadsheet that expects another separator, as in countries with a decimal comma. For it, the quotes
 * around the cell are in the middle of one. Consumes the whole run, so that the time is proportional to the length.
 */
const INNER_BEGINNING = /([;|\t\r\n][\s"]*)([=+\-@\uff1d\uff0b\uff0d\uff20])?/g;
const INNER_NUMBER = /[-+]\d+(\.\d+)?([eE][-+]?\d+)?\s*([;|\t\r\n"]|$)/y;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/**
 * Formats a cell: empty for undefined and null, JSON for objects and arrays, and an apostrophe before a possible formula. In JSON,
 * an escape is used instead of the apostrophe, which keeps the value.
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return quotedCell(withoutInnerFormulas(JSON.stringify(value), escaped));
  if (typeof value !== 'string') return quotedCell(String(value));
  const isFormula = FORMULA.test(value) && !NUMBER.test(value);
  return quotedCell(`${isFormula ? "'" : ''}${withoutInnerFormulas(value, (sign) => `'${sign}`)}`);
}

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

function withoutInnerFormulas(text: string, disarmed: (sign: string) => string): string {
  return text.replace(INNER_BEGINNING, (all: string, gap: string, sign: string | undefined, at: number) => {
    INNER_NUMBER.lastIndex = at + gap.length;
    return sign === undefined || INNER_NUMBER.test(text) ? all : `${gap}${disarmed(sign)}`;
  });
}

/** Formats a text as a cell, in quotes if necessary. */
export const quotedCell = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Formats one record, with its line end. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`;

/** Whether a value is written to several named columns. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Maximum number of columns. A table with a column for each field of each item would have as many cells as the square of the
 * items, if each has fields of its own.
 */
export const MAX_COLUMNS = 500;
/** Column for the fields without a column of their own, as JSON. */
export const OTHER_FIELDS = 'otherFields';

/** Collects the names of the first MAX_COLUMNS fields, in the order of their first appearance. */
export class Columns {
  readonly names = new Set<string>();
  isCut = false;

  add(value: unknown): void {
    if (this.isCut || !isRecord(value)) return;
    for (const name of Object.keys(value)) {
      this.isCut = this.names.size === MAX_COLUMNS && !this.names.has(name);
      if (this.isCut) return;
      this.names.add(name);
    }
  }
}

/** The names of the first MAX_COLUMNS fields of values, and whether there are more. */
export function columnsOf(values: Iterable<unknown>): { names: string[]; isCut: boolean } {
  const columns = new Columns();
  for (const value of values) columns.add(value);
  return { names: [...columns.names], isCut: columns.isCut };
}

/** Creates a function that returns the values of a record by column; OTHER_FIELDS collects the others, if it is a column. */
export function valuesBy(columns: readonly string[]): (record: Record<string, unknown>) => unknown[] {
  const known = new Set(columns);
  const collects = known.has(OTHER_FIELDS);
  return (record) => {
    const others = collects ? Object.entries(record).filter(([name]) => !known.has(name)) : [];
    const filled = others.length === 0 ? record : { ...record, [OTHER_FIELDS]: Object.fromEntries(others) };
    // A column may have the name of an inherited property.
    return columns.map((name) => (Object.hasOwn(filled, name) ? filled[name] : undefined));
  };
}
