/** Makes JSON of the text of cells. */
import type { CellType } from './csv-options.ts';
import { ALLOWS } from './csv-schema.ts';

/** The types of JSON that a column may hold, as bits of ALLOWS, and the sign before a fraction. */
export interface CellFormat {
  types: number;
  decimal: '.' | ',';
}

const NUMBERS = ALLOWS.integer | ALLOWS.fraction;

/** What the cells of a column are converted to: text wherever the schema allows text. */
export function cellType(types: number): CellType {
  if (types & ALLOWS.string) return 'text';
  if (types & NUMBERS) return types & ALLOWS.fraction ? 'number' : 'integer';
  return types & ALLOWS.boolean ? 'boolean' : 'text';
}

/** Numbers that are JSON as they stand, of at most 15 digits: a double has them all. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
/** Leading zeros are cut off behind it: one expression for both would try every way to divide a row of zeros. */
const NUMBER = /^(?<sign>[+-]?)(?:(?<digits>\d+)(?:\.(?<part>\d*))?|\.(?<only>\d+))(?<exponent>e[+-]?\d+)?$/i;
const LEADING_ZEROS = /^0+(?=\d)/;

/** The JSON of a cell that is not empty. What cannot be converted is a string, which the schema then refuses. */
export function cellJson(cell: string, { types, decimal }: CellFormat): string {
  if (types & ALLOWS.string) return JSON.stringify(cell);
  if (types & NUMBERS) {
    const number = decimal === '.' && PLAIN_NUMBER.test(cell) ? cell : numberJson(cell, decimal);
    if (number !== undefined) return number;
  }
  if (types & ALLOWS.boolean) {
    const word = cell.trim().toLowerCase();
    if (word === 'true' || word === 'false') return word;
  }
  return JSON.stringify(cell);
}

/**
 * A number of a spreadsheet as one of JSON, with the digits that it has: no way through a double, which would make 0.10 of
 * 0.10000000000000000555. Undefined for what is none, and for a whole part beyond 2^53, which a reader of JSON would change.
 */
function numberJson(cell: string, decimal: '.' | ','): string | undefined {
  const trimmed = cell.trim();
  if (decimal === ',' && trimmed.includes('.')) return undefined;
  const groups = NUMBER.exec(decimal === ',' ? trimmed.replace(',', '.') : trimmed)?.groups;
  if (!groups) return undefined;
  const { sign, digits = '0', part = groups.only ?? '', exponent = '' } = groups;
  const whole = digits.replace(LEADING_ZEROS, '');
  if (Number(whole) > Number.MAX_SAFE_INTEGER) return undefined;
  const number = `${sign === '-' ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}${exponent}`;
  return Number.isFinite(Number(number)) ? number : undefined;
}
