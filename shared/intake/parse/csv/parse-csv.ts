/**
 * Parses CSV with a header line. A library was rejected: this parser reports positions, returns text, and refuses input
 * that a library would interpret by guessing (docs/architecture.md).
 */

import type { Delimiter } from '../../../contract/upload-kinds.ts';
import type { JsonSchema } from '../../../workload/item-schema.ts';
import { BlankBytes, type UploadLimits } from '../../limits.ts';
import type { Charset, CsvOptions, CsvReading } from '../csv-options.ts';
import { UNIT_BYTES } from '../decode-text.ts';
import { PendingBytes } from '../pending-bytes.ts';
import { requireUtf8, type SourcePoint, START } from '../position.ts';
import { BlockBuilder, type ParserResume, type RecordBlock } from '../record-block.ts';
import { type CsvColumns, compileColumns } from './csv-columns.ts';
import { CsvCutter } from './csv-cutter.ts';
import { declaredDelimiter, findDelimiter, HEAD_BYTES } from './csv-dialect.ts';
import { faultyCell, faultyRow, longRow, type RowPlace, tooLong, wrongNumber } from './csv-faults.ts';
import { HeaderNames, readHeader } from './csv-header.ts';
import { type CsvRow, CsvRows } from './csv-row.ts';

const LF = 0x0a;
const CR = 0x0d;
const ADVICE = ' Save the file as "CSV UTF-8", or specify its character set, for example charset=windows-1252.';

export interface CsvSource {
  csv?: CsvOptions | undefined;
  /** JSON Schema of an item. Without it, cells are text. */
  schema?: JsonSchema | undefined;
  /** Character set of the text before its conversion to UTF-8; called after the first piece. Default UTF-8. */
  charset?: () => Charset;
  resume?: ParserResume | undefined;
  onReading?: (reading: CsvReading) => void;
}

/**
 * Returns the rows of a CSV file as JSON objects, with names from the header line and types from the schema. Quoting
 * follows RFC 4180; lines end with LF or CRLF. Blank lines and rows with only empty cells are skipped. `source` is UTF-8
 * without a byte order mark; with `resume` it begins at that place.
 * @throws Problem 'malformed-record' for a header with a duplicate or missing name, a row whose number of fields differs
 * from the header, stray or open quotes, a bare CR, or bytes that are not UTF-8; 'too-large' for a row over
 * `maxRecordBytes`, as uploaded or as JSON; 'invalid-parameter' for a rename of a missing header.
 */
export async function* parseCsv(
  source: AsyncIterable<Buffer>,
  limits: Pick<UploadLimits, 'maxRecordBytes'>,
  options: CsvSource = {},
): AsyncGenerator<RecordBlock> {
  const reader = new CsvReader(limits.maxRecordBytes, options);
  try {
    for await (const piece of source) yield* reader.push(piece);
    yield* reader.end();
  } catch (error) {
    const block = reader.take();
    if (block) yield block;
    throw error;
  }
}

class CsvReader {
  readonly #maxBytes: number;
  readonly #source: CsvSource;
  readonly #names: HeaderNames;
  readonly #builder = new BlockBuilder();
  readonly #head = new PendingBytes();
  readonly #cutter = new CsvCutter();
  readonly #blank = new BlankBytes();
  #at: SourcePoint;
  /** Undefined until the head has been read. */
  #delimiter: Delimiter | undefined;
  /** Undefined until the header has been read. */
  #columns: CsvColumns | undefined;
  /** Bytes of the upload per UTF-16 unit of the current text; undefined if they differ between characters. */
  #unitBytes: number | undefined;

  constructor(maxBytes: number, source: CsvSource) {
    this.#maxBytes = maxBytes;
    this.#source = source;
    this.#names = new HeaderNames(source.schema, source.csv?.rename);
    this.#at = source.resume?.at ?? START;
    const reading = source.resume?.csv;
    if (reading === undefined) return;
    this.#delimiter = reading.delimiter;
    const columns = compileColumns(reading, this.#names);
    if ('message' in columns) throw new Error(`The columns of a CSV upload cannot be resumed: ${columns.message}`);
    this.#use(columns);
  }

  *push(piece: Buffer): Generator<RecordBlock> {
    if (this.#delimiter !== undefined) return yield* this.#read(piece);
    this.#head.push(piece);
    if (this.#head.size >= HEAD_BYTES) yield* this.#begin();
  }

  take(): RecordBlock | undefined {
    return this.#builder.take();
  }

  *end(): Generator<RecordBlock> {
    if (this.#delimiter === undefined) yield* this.#begin();
    yield* this.#readRows(this.#cutter.take());
    const block = this.#builder.take();
    if (block) yield block;
  }

  /** Detects the delimiter from the head, then reads the head. */
  *#begin(): Generator<RecordBlock> {
    const bytes = this.#head.take();
    const head = bytes.toString('utf8', 0, HEAD_BYTES);
    const declared = declaredDelimiter(head);
    const given = this.#source.csv?.delimiter ?? declared?.delimiter;
    this.#delimiter = given ?? findDelimiter(head, (header) => this.#names.knows(header));
    const length = declared?.length ?? 0;
    if (length > 0) {
      const offset = length * (UNIT_BYTES[this.#charset()] ?? 1);
      this.#at = { offset, line: this.#at.line + 1, column: 1 };
    }
    yield* this.#read(bytes.subarray(length));
  }

  #charset(): Charset {
    return this.#source.charset?.() ?? 'utf-8';
  }

  #use(columns: CsvColumns): void {
    this.#columns = columns;
    this.#source.onReading?.(columns.reading);
  }

  *#read(piece: Buffer): Generator<RecordBlock> {
    const rows = this.#cutter.push(piece);
    if (rows) yield* this.#readRows(rows);
    if (this.#cutter.size <= this.#maxBytes + 1) return; // + 1: a CR
    throw longRow(this.#placeOf(this.#cutter.take().toString('utf8'), 0), this.#maxBytes);
  }

  *#readRows(bytes: Buffer): Generator<RecordBlock> {
    requireUtf8(bytes, this.#at, ADVICE);
    const text = bytes.toString('utf8');
    this.#unitBytes = UNIT_BYTES[this.#charset()] ?? (text.length === bytes.length ? 1 : undefined);
    const rows = new CsvRows(text, this.#delimiter ?? ',');
    for (let start = this.#skipBlank(text, 0); start < text.length; start = this.#skipBlank(text, start)) {
      const row = rows.read(start);
      if ('message' in row) throw faultyRow(this.#placeOf(text, start), row);
      this.#requireShort(text, start, row.end);
      this.#take(text, start, row);
      this.#advance(text, start, row);
      start = row.end;
      const block = this.#builder.full ? this.#builder.take() : undefined;
      if (block) yield block;
    }
  }

  /** Returns the offset of the next row that is not blank, unparsed, because a body may consist of blank lines. */
  #skipBlank(text: string, start: number): number {
    let offset = start;
    let breaks = 0;
    for (let end = blankEnd(text, offset); end > offset; end = blankEnd(text, offset)) {
      offset = end;
      breaks++;
    }
    if (breaks === 0) return offset;
    this.#blank.skip(offset - start, this.#at.line);
    this.#advance(text, start, { end: offset, lines: breaks });
    return offset;
  }

  #take(text: string, start: number, row: CsvRow): void {
    const { cells } = row;
    if (cells.every((cell) => cell === '')) {
      this.#blank.skip(row.end - start, this.#at.line);
      return;
    }
    this.#blank.end();
    if (this.#columns === undefined) {
      this.#readHeader(this.#placeOf(text, start), cells);
      return;
    }
    const { minCells, maxCells, toJson } = this.#columns;
    if (cells.length !== minCells) {
      const problem = wrongNumber(this.#placeOf(text, start), row, { minCells, maxCells });
      if (problem) throw problem;
    }
    const json = toJson(cells);
    if (this.#isOver(json)) throw tooLong(this.#at, this.#maxBytes, ' as JSON');
    this.#builder.addText(json, this.#at);
  }

  #readHeader(place: RowPlace, cells: readonly string[]): void {
    const { delimiter } = place;
    const dialect = { delimiter, decimal: this.#source.csv?.decimal ?? '.', charset: this.#charset() };
    const header = readHeader(cells, this.#names);
    const columns = 'message' in header ? header : compileColumns({ ...dialect, ...header }, this.#names);
    if ('message' in columns) throw faultyCell(place, columns.index, columns.message);
    this.#use(columns);
  }

  #advance(text: string, start: number, { end, lines }: Pick<CsvRow, 'end' | 'lines'>): void {
    const unitBytes = this.#unitBytes;
    const bytes = unitBytes === undefined ? Buffer.byteLength(text.slice(start, end)) : (end - start) * unitBytes;
    this.#at = { offset: this.#at.offset + bytes, line: this.#at.line + lines, column: 1 };
  }

  #requireShort(text: string, start: number, end: number): void {
    if ((end - start) * 3 <= this.#maxBytes || !this.#isOver(text.slice(start, end).replace(/\r?\n$/, ''))) return;
    throw tooLong(this.#at, this.#maxBytes);
  }

  /** UTF-8 uses at most 3 bytes per UTF-16 unit, so most rows need not be measured. */
  #isOver(text: string): boolean {
    return text.length * 3 > this.#maxBytes && Buffer.byteLength(text) > this.#maxBytes;
  }

  #placeOf(text: string, start: number): RowPlace {
    return { text, start, at: this.#at, delimiter: this.#delimiter ?? ',' };
  }
}

/** Returns the offset after a line ending at `offset` (or a CR that ends the text); `offset` if there is none. */
function blankEnd(text: string, offset: number): number {
  const ending = offset + (text.charCodeAt(offset) === CR ? 1 : 0);
  if (text.charCodeAt(ending) === LF) return ending + 1;
  return ending === text.length ? ending : offset;
}
