import { ConversionError } from './conversion-error.ts';
import { plainDigits } from './digits.ts';
import { isoOfDay } from './excel-dates.ts';
import { type Sheet, unescapeText, type Workbook } from './workbook.ts';
import { readXml } from './xml.ts';

/** A cell. With `isNumber`, the text is a number in full digits with a decimal point. */
export interface Cell {
  /** 0-based. */
  column: number;
  text: string;
  isNumber: boolean;
}

/** A row with cells; `number` is 1-based, as in Excel. */
export interface Row {
  number: number;
  cells: Cell[];
}

/** Limits of Excel. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

interface OpenCell {
  address: string;
  column: number;
  type: string;
  style: number;
  value: string;
}

/**
 * Reads the rows of a sheet in order, one piece of the file at a time. Throws ConversionError with the address of a cell that contains
 * an error.
 */
export async function* sheetRows(workbook: Workbook, sheet: Sheet): AsyncGenerator<Row> {
  const strings = await workbook.strings();
  let done: Row[] = [];
  let row: Row = { number: 0, cells: [] };
  let cell: OpenCell | undefined;
  let nextColumn = 0;
  let isValue = false;
  let phonetic = 0;
  const handlers = {
    open: (name: string, { r, s = '0', t = 'n' }: Readonly<Record<string, string>>) => {
      if (name === 'row') {
        row = { number: r === undefined ? row.number + 1 : Number(r), cells: [] };
        nextColumn = 0;
        if (!(row.number <= MAX_ROWS)) throw new Error(`row ${r}: expected at most ${MAX_ROWS} rows`);
      } else if (name === 'c') {
        const column = r === undefined ? nextColumn : columnOf(r);
        if (!(column < MAX_COLUMNS)) throw new Error(`cell ${r}: expected at most ${MAX_COLUMNS} columns`);
        nextColumn = column + 1;
        cell = { address: r ?? `${columnName(column)}${row.number}`, column, type: t, style: Number(s), value: '' };
      } else if (name === 'rPh') phonetic++;
      isValue = cell !== undefined && phonetic === 0 && (name === 'v' || name === 't');
    },
    text: (text: string) => {
      if (cell !== undefined && isValue) cell.value += text;
    },
    close: (name: string) => {
      isValue = false;
      if (name === 'rPh') phonetic--;
      if (name === 'c' && cell !== undefined) {
        const read = readCell(cell, { workbook, strings, sheet });
        if (read !== undefined) row.cells.push(read);
        cell = undefined;
      }
      if (name === 'row' && row.cells.length > 0) done.push(row);
    },
  };
  for await (const _ of readXml(await workbook.read(sheet), handlers)) {
    yield* done;
    done = [];
  }
}

/** Returns the cell as text; undefined if it is empty. */
function readCell(
  { address, column, type, style, value }: OpenCell,
  { workbook, strings, sheet }: { workbook: Workbook; strings: readonly string[]; sheet: Sheet },
): Cell | undefined {
  const asText = (text: string | undefined): Cell | undefined =>
    text === undefined || text === '' ? undefined : { column, text, isNumber: false };
  if (value === '') return undefined;
  switch (type) {
    case 's':
      return asText(strings[Number(value)]);
    case 'str':
    case 'inlineStr':
      return asText(unescapeText(value));
    case 'b':
      return asText(value === '1' || value === 'true' ? 'true' : 'false');
    case 'd':
      return asText(value);
    case 'e':
      throw new ConversionError(`Sheet "${sheet.name}", cell ${address} contains the error ${value}.`, {
        hint: 'Fix or clear the cell: an error has no value to send.',
      });
    default: {
      const number = Number(value);
      if (!Number.isFinite(number)) throw new Error(`cell ${address}: expected a number, got ${value}`);
      const format = workbook.dateFormats[style];
      const iso = format && isoOfDay(number, format, workbook.is1904);
      // A whole number has exact digits in the file; a fraction has 17 digits, the last of which are rounding errors.
      return iso === undefined
        ? { column, text: /^-?\d+$/.test(value) ? value : plainDigits(number), isNumber: true }
        : asText(iso);
    }
  }
}

/** Returns the 0-based column of an address: 1 for "B7". */
function columnOf(address: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(address)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  if (column === 0) throw new Error(`expected the address of a cell, got "${address}"`);
  return column - 1;
}

/** Returns the name of a 0-based column: "B" for 1. */
export function columnName(column: number): string {
  const rest = Math.floor(column / 26);
  return `${rest > 0 ? columnName(rest - 1) : ''}${String.fromCharCode(65 + (column % 26))}`;
}
