/** Reads rows of CSV (RFC 4180) strictly: where a lenient reader would guess, this one reports a fault. */
import type { Delimiter } from '../../../contract/upload-kinds.ts';

/** A row: its cells, and the offset after its line ending. All offsets are in UTF-16 units. */
export interface CsvRow {
  cells: string[];
  end: number;
  /** Number of line feeds in it. */
  lines: number;
}

/** Why a row cannot be read, and where. */
export interface CsvFault {
  offset: number;
  message: string;
  /** Whether the fault is that the text ends too early: more text could resolve it. */
  isOpen: boolean;
}

interface Cell {
  value: string;
  end: number;
}

const LF = '\n';
const CR = '\r';
const QUOTE = '"';
const PLAIN: Readonly<Record<Delimiter, RegExp>> = {
  ',': /[^,"\r\n]*/y,
  ';': /[^;"\r\n]*/y,
  '\t': /[^\t"\r\n]*/y,
  '|': /[^|"\r\n]*/y,
};

/** Reads the rows of a text in order. A row without quotes is split with one call, twice as fast as cell by cell. */
export class CsvRows {
  readonly #text: string;
  readonly #delimiter: Delimiter;
  /** The next quote and carriage return at or after the last row: searched once for many rows, not once per row. */
  #quote = -1;
  #return = -1;

  constructor(text: string, delimiter: Delimiter) {
    this.#text = text;
    this.#delimiter = delimiter;
  }

  /** Reads the row that begins at `start`. It ends with LF, CRLF or the text. */
  read(start: number): CsvRow | CsvFault {
    const text = this.#text;
    const feed = text.indexOf(LF, start);
    if (feed < 0) return readCsvRow(text, start, this.#delimiter);
    if (this.#quote < start) this.#quote = indexOrEnd(text, QUOTE, start);
    if (this.#return < start) this.#return = indexOrEnd(text, CR, start);
    if (this.#quote < feed || this.#return < feed - 1) return readCsvRow(text, start, this.#delimiter);
    const stop = this.#return === feed - 1 ? feed - 1 : feed;
    return { cells: text.slice(start, stop).split(this.#delimiter), end: feed + 1, lines: 1 };
  }
}

function indexOrEnd(text: string, sign: string, from: number): number {
  const index = text.indexOf(sign, from);
  return index < 0 ? text.length : index;
}

/** Reads one row cell by cell; `starts` contains the offset of each cell. */
export function readCsvRow(
  text: string,
  start: number,
  delimiter: Delimiter,
): (CsvRow & { starts: number[] }) | CsvFault {
  const cells: string[] = [];
  const starts: number[] = [];
  for (let offset = start; ; offset++) {
    const cell = text[offset] === QUOTE ? quotedCell(text, offset) : plainCell(text, offset, PLAIN[delimiter]);
    if ('message' in cell) return cell;
    cells.push(cell.value);
    starts.push(offset);
    if (text[cell.end] === delimiter) {
      offset = cell.end;
      continue;
    }
    const end = lineEnd(text, cell.end);
    return end === undefined
      ? behindCell(text, offset, cell.end)
      : { cells, starts, end, lines: countLines(text, start, end) };
  }
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf(LF, start); at >= 0 && at < end; at = text.indexOf(LF, at + 1)) lines++;
  return lines;
}

function plainCell(text: string, start: number, plain: RegExp): Cell {
  plain.lastIndex = start;
  plain.test(text);
  return { value: text.slice(start, plain.lastIndex), end: plain.lastIndex };
}

function quotedCell(text: string, start: number): Cell | CsvFault {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf(QUOTE, from);
    if (quote < 0) return { offset: start, message: 'The quote that begins this field is not closed.', isOpen: true };
    value += text.slice(from, quote);
    if (text[quote + 1] !== QUOTE) return { value, end: quote + 1 };
    value += QUOTE;
    from = quote + 2;
  }
}

/** Returns the offset after the line ending at `offset`. The end of the text is one, with or without a lone CR. */
function lineEnd(text: string, offset: number): number | undefined {
  const ending = offset + (text[offset] === CR ? 1 : 0);
  if (ending >= text.length) return ending;
  return text[ending] === LF ? ending + 1 : undefined;
}

/** Returns the fault of the cell from `start` to `offset`, which neither a delimiter nor the end of the line follows. */
function behindCell(text: string, start: number, offset: number): CsvFault {
  if (text[offset] === CR)
    return { offset, message: 'A carriage return without a line feed: lines must end with LF or CRLF.', isOpen: false };
  if (text[offset] === QUOTE)
    return { offset, message: 'There is a quote inside a field that does not begin with a quote.', isOpen: false };
  // If a quote is missing, the field ends at the next quoted cell, some lines below. The fault is where the quote opens.
  if (text.slice(start, offset).includes(LF)) {
    const message =
      'The quote that begins this field is closed in another line, and not at the end of a field. Is a quote missing or not doubled?';
    return { offset: start, message, isOpen: false };
  }
  return { offset, message: 'Expected a delimiter or the end of the line after the closing quote.', isOpen: false };
}
