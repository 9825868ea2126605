/**
 * CSV with a header line. Buffers are cut behind the last line ending that is outside of quotes, told by the number of
 * quotes before it; own code, as it keeps positions and gives text, where the libraries give objects.
 */
import { Problem } from '../../errors.ts';
import { BlankBytes, type UploadLimits } from '../limits.ts';
import type { CsvReading } from './csv-options.ts';
import { type CsvRow, readCsvRow } from './csv-row.ts';
import { PendingBytes } from './pending-bytes.ts';
import { advance, malformed, requireUtf8, type SourcePoint, START } from './position.ts';
import { createBlockBuilder, type ParserResume, type RecordBlock } from './record-block.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/**
 * The rows of a CSV file as JSON objects of strings, named by the header line. Separator is the comma, quoting as in RFC
 * 4180, lines end with LF or CRLF. Blank lines are skipped; in a file of one column, "" is an empty value.
 * @throws Problem 'malformed-record' for a header name that is empty or stands twice, a row with another number of
 * fields than the header, stray or open quotes, a bare CR, bytes that are not UTF-8; 'too-large' for a row over
 * `maxRecordBytes`, as uploaded or as JSON.
 */
export async function* parseCsv(
  source: AsyncIterable<Buffer>,
  limits: Pick<UploadLimits, 'maxRecordBytes'>,
  { resume, onReading }: { resume?: ParserResume | undefined; onReading?: (reading: CsvReading) => void } = {},
): AsyncGenerator<RecordBlock> {
  const reader = new CsvReader(limits.maxRecordBytes, onReading);
  if (resume) reader.resume(resume);
  for await (const piece of source) yield* reader.push(piece);
  yield* reader.end();
}

class CsvReader {
  readonly #maxBytes: number;
  readonly #builder = createBlockBuilder();
  readonly #pending = new PendingBytes();
  readonly #blank = new BlankBytes();
  #inQuotes = false;
  /** Where what is pending begins: always a row. */
  #at: SourcePoint = START;
  /** `"name":` per column, with the bracket or comma before it; undefined before the header. */
  #keys: string[] | undefined;

  readonly #onReading: ((reading: CsvReading) => void) | undefined;

  constructor(maxBytes: number, onReading?: (reading: CsvReading) => void) {
    this.#maxBytes = maxBytes;
    this.#onReading = onReading;
  }

  resume({ at, csv }: ParserResume): void {
    this.#at = at;
    this.#useNames(csv?.columns.map(({ name }) => name) ?? []);
  }

  *push(piece: Buffer): Generator<RecordBlock> {
    const cut = this.#findCut(piece);
    if (cut > 0) {
      const bytes = this.#pending.take(piece.subarray(0, cut));
      requireUtf8(bytes, this.#at);
      yield* this.#readRows(bytes.toString('utf8'));
    }
    this.#pending.push(piece.subarray(cut));
    if (this.#pending.size > this.#maxBytes + 1) this.#refuseLong(); // 1: a CR
  }

  *end(): Generator<RecordBlock> {
    const bytes = this.#pending.take();
    requireUtf8(bytes, this.#at);
    yield* this.#readRows(bytes.toString('utf8'));
    const block = this.#builder.take();
    if (block) yield block;
  }

  /** The offset behind the last line feed outside of quotes, or 0. */
  #findCut(piece: Buffer): number {
    let cut = 0;
    let inQuotes = this.#inQuotes;
    for (let offset = 0; offset < piece.length; offset++) {
      const byte = piece[offset];
      if (byte === QUOTE) inQuotes = !inQuotes;
      else if (byte === LF && !inQuotes) cut = offset + 1;
    }
    this.#inQuotes = inQuotes;
    return cut;
  }

  *#readRows(text: string): Generator<RecordBlock> {
    for (let start = this.#skipBlank(text, 0); start < text.length; start = this.#skipBlank(text, start)) {
      const row = this.#readRow(text, start);
      this.#requireShort(text.slice(start, row.end));
      this.#take(row, text, start);
      this.#blank.end();
      this.#advance(text.slice(start, row.end));
      start = row.end;
      const block = this.#builder.full ? this.#builder.take() : undefined;
      if (block) yield block;
    }
  }

  /** The offset of the next row that is not blank; blank ones cost no row, as a body can be made of them. */
  #skipBlank(text: string, start: number): number {
    let offset = start;
    let breaks = 0;
    for (let end = blankEnd(text, offset); end > offset; end = blankEnd(text, offset)) {
      offset = end;
      breaks++;
    }
    if (breaks === 0) return offset;
    this.#blank.skip(offset - start, this.#at.line);
    this.#at = { offset: this.#at.offset + offset - start, line: this.#at.line + breaks, column: 1 };
    return offset;
  }

  #advance(text: string): void {
    this.#at = { offset: this.#at.offset + Buffer.byteLength(text), ...advance(this.#at, text) };
  }

  #readRow(text: string, start: number): CsvRow {
    const row = readCsvRow(text, start);
    if ('message' in row) throw this.#malformedAt(text, { start, offset: row.offset }, row.message);
    return row;
  }

  #take(row: CsvRow, text: string, start: number): void {
    const offset = (field: number): number => row.starts[field] ?? row.end;
    if (this.#keys === undefined) {
      const seen = new Set(['']);
      const bad = row.fields.findIndex((name) => seen.size === seen.add(name).size);
      if (bad >= 0) throw this.#malformedAt(text, { start, offset: offset(bad) }, badName(row.fields[bad]));
      this.#useNames(row.fields);
      return;
    }
    const [expected, got] = [this.#keys.length, row.fields.length];
    if (got !== expected) {
      const at = { start, offset: got > expected ? offset(expected) : start + trimmedLength(text, start, row.end) };
      throw this.#malformedAt(text, at, `Expected ${expected} fields, as the header has; got ${got}.`);
    }
    this.#emit(row.fields, this.#keys);
  }

  #useNames(names: readonly string[]): void {
    this.#keys = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    const columns = names.map((name) => ({ header: name, name, type: 'text' as const }));
    this.#onReading?.({ delimiter: ',', decimal: '.', charset: 'utf-8', columns });
  }

  #emit(fields: readonly string[], keys: readonly string[]): void {
    let json = '';
    for (const [index, key] of keys.entries()) json += key + JSON.stringify(fields[index]);
    const bytes = Buffer.from(`${json}}`);
    if (bytes.length > this.#maxBytes) throw this.#tooLong(' as JSON');
    this.#builder.add(bytes, this.#at);
  }

  #requireShort(row: string): void {
    // UTF-8 takes at most 3 bytes for a UTF-16 unit: most rows need not be measured.
    if (row.length * 3 > this.#maxBytes && Buffer.byteLength(row.replace(/\r?\n$/, '')) > this.#maxBytes)
      throw this.#tooLong('');
  }

  /** A stray quote makes a row of all that follows: then that is the fault, not the length. */
  #refuseLong(): never {
    const text = this.#pending.take().toString('utf8');
    const row = readCsvRow(text, 0);
    if ('message' in row && !row.isOpen) throw this.#malformedAt(text, { start: 0, offset: row.offset }, row.message);
    throw this.#tooLong('');
  }

  #malformedAt(text: string, { start, offset }: { start: number; offset: number }, message: string): Problem {
    return malformed(advance(this.#at, text.slice(start, offset)), message);
  }

  #tooLong(how: string): Problem {
    const message = `The row is over ${this.#maxBytes} bytes${how}.`;
    return new Problem('too-large', `Line ${this.#at.line}: ${message}`, {
      errors: [{ line: this.#at.line, column: this.#at.column, message }],
    });
  }
}

const trimmedLength = (text: string, start: number, end: number): number =>
  text.slice(start, end).replace(/\r?\n$/, '').length;

/** The offset behind a line ending at `offset`, which may be a CR at the end of the text; `offset` when there is none. */
function blankEnd(text: string, offset: number): number {
  const ending = offset + (text.charCodeAt(offset) === CR ? 1 : 0);
  if (text.charCodeAt(ending) === LF) return ending + 1;
  return ending === text.length ? ending : offset;
}

const badName = (name: string | undefined): string =>
  name ? `The header names two columns ${JSON.stringify(name)}.` : 'The header has a column without a name.';
