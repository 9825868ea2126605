import type { Delimiter } from '../../../contract/upload-kinds.ts';
import type { Problem } from '../../../errors.ts';
import { tooLarge } from '../../limits.ts';
import { advance, malformed, type Position } from '../position.ts';
import { isBlank } from './csv-columns.ts';
import { type CsvFault, type CsvRow, readCsvRow } from './csv-row.ts';

/** A row of a text, and its position in the upload. */
export interface RowPlace {
  text: string;
  start: number;
  at: Position;
  delimiter: Delimiter;
}

const malformedAt = ({ text, start, at }: RowPlace, offset: number, message: string): Problem =>
  malformed(advance(at, text.slice(start, offset)), message);

/** Creates the problem of a row that cannot be read. */
export const faultyRow = (place: RowPlace, { offset, message }: CsvFault): Problem =>
  malformedAt(place, offset, message);

/** Creates the problem of cell number `index` of a row. */
export function faultyCell(place: RowPlace, index: number, message: string): Problem {
  const row = readCsvRow(place.text, place.start, place.delimiter);
  return malformedAt(place, 'message' in row ? row.offset : (row.starts[index] ?? row.end), message);
}

/**
 * Checks the number of cells of a row. Returns undefined if it is from `minCells` to `maxCells`, and the cells after
 * `minCells` are blank.
 */
export function wrongNumber(
  place: RowPlace,
  { cells, end }: CsvRow,
  { minCells, maxCells }: { minCells: number; maxCells: number },
): Problem | undefined {
  const message = `Expected ${minCells} fields, as in the header; got ${cells.length}.`;
  if (cells.length > maxCells) return faultyCell(place, minCells, message);
  if (cells.length < minCells) {
    const row = place.text.slice(place.start, end).replace(/\r?\n$/, '');
    return malformedAt(place, place.start + row.length, message);
  }
  const extra = cells.findIndex((cell, index) => index >= minCells && !isBlank(cell));
  return extra < 0 ? undefined : faultyCell(place, extra, 'This value is in a column that has no name in the header.');
}

/**
 * Creates the problem of a row over `maxBytes`. A stray quote turns the rest of the upload into one row. Then the quote is
 * reported.
 */
export function longRow(place: RowPlace, maxBytes: number): Problem {
  const row = readCsvRow(place.text, place.start, place.delimiter);
  if (!('message' in row)) return tooLong(place.at, maxBytes);
  if (!row.isOpen) return faultyRow(place, row);
  return faultyRow(place, {
    ...row,
    message: `The quote that opens here is not closed within the ${maxBytes} bytes that a row may have.`,
  });
}

/** Creates the problem of a row that is too long; `how` says in which form. */
export const tooLong = (at: Position, maxBytes: number, how = ''): Problem =>
  tooLarge(at, `The row is over ${maxBytes} bytes${how}.`);
