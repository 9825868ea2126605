import { NUMBER, TYPES } from './types.ts';

export type CellType = 'text' | 'number' | 'integer' | 'boolean';

/** The JSON types that a column may contain, as bits of TYPES, and the decimal separator. */
export interface CellFormat {
  types: number;
  decimal: '.' | ',';
}

/** Returns the type to which the cells of a column are converted: text if the schema allows text. */
export function cellType(types: number): CellType {
  if (types & TYPES.text) return 'text';
  if (types & NUMBER) return types & TYPES.fraction ? 'number' : 'integer';
  return types & TYPES.boolean ? 'boolean' : 'text';
}

/** Numbers that are already valid JSON, of at most 15 digits, which a double represents exactly. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
/** Whether a text is a number in JSON, of at most 15 digits before and after the point. */
export const isPlainNumber = (text: string): boolean => PLAIN_NUMBER.test(text);

/**
 * Leading zeros are removed separately: in one expression for both, backtracking would try every way to divide a row of
 * zeros.
 */
const WRITTEN = /^(?<sign>[+-]?)(?:(?<digits>\d+)(?:\.(?<part>\d*))?|\.(?<only>\d+))(?<exponent>e[+-]?\d+)?$/i;
const LEADING_ZEROS = /^0+(?=\d)/;

/**
 * Returns the JSON of a cell that is not empty. A cell that cannot be converted becomes a string, which the schema then
 * refuses.
 */
export function cellJson(cell: string, { types, decimal }: CellFormat): string {
  if (types & TYPES.text) return JSON.stringify(cell);
  if (types & NUMBER) {
    const number = decimal === '.' && PLAIN_NUMBER.test(cell) ? cell : numberJson(cell, decimal);
    if (number !== undefined) return number;
  }
  if (types & TYPES.boolean) {
    const word = cell.trim().toLowerCase();
    if (word === 'true' || word === 'false') return word;
  }
  return JSON.stringify(cell);
}

/**
 * Converts a spreadsheet number to a JSON number with the same digits. It does not use a double, in which 0.10 would become
 * 0.10000000000000000555. Returns undefined for text that is not a number, and for a whole part over 2^53, which JSON
 * parsers would change.
 */
function numberJson(cell: string, decimal: '.' | ','): string | undefined {
  const trimmed = cell.trim();
  if (decimal === ',' && trimmed.includes('.')) return undefined;
  const groups = WRITTEN.exec(decimal === ',' ? trimmed.replace(',', '.') : trimmed)?.groups;
  if (!groups) return undefined;
  const { sign, digits = '0', part = groups.only ?? '', exponent = '' } = groups;
  const whole = digits.replace(LEADING_ZEROS, '');
  if (Number(whole) > Number.MAX_SAFE_INTEGER) return undefined;
  const number = `${sign === '-' ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}${exponent}`;
  return Number.isFinite(Number(number)) ? number : undefined;
}
