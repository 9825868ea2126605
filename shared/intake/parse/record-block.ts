/** Parsers return runs of records instead of single ones, so that a record costs no await. */
import type { CsvReading } from './csv-options.ts';
import { grown } from './pending-bytes.ts';
import { type SourcePoint, START } from './position.ts';

/** Consecutive records of an upload. */
export interface RecordBlock {
  /** NDJSON: each record on one line, ended by a line feed. */
  bytes: Buffer;
  /** For each record, the offset in `bytes` after its line feed. */
  ends: number[];
  /** For each record, the 1-based line of the decoded upload where it begins. */
  lines: number[];
  /** Where the first record begins. A parser that resumes there returns the same records from there on. */
  from: SourcePoint;
}

/** Where a parser resumes after an earlier one: `from` of a block. */
export interface ParserResume {
  at: SourcePoint;
  /** How the upload is read, because the header line is not read again; required for CSV only. */
  csv?: CsvReading | undefined;
}

const BLOCK_BYTES = 64 * 1024;
/** Bytes per UTF-16 unit: a surrogate is half of a character of four bytes. */
const MAX_UTF8_BYTES = 3;

/** Collects records whose stored bytes differ from those of the upload, in blocks of about 64 KiB. */
export class BlockBuilder {
  #buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  #used = 0;
  #ends: number[] = [];
  #lines: number[] = [];
  #from = START;
  #last = START;

  /** Adds the record that begins at `at`; `bytes` is copied and must not contain a line feed. */
  add(bytes: Uint8Array, at: SourcePoint): void {
    this.#reserve(bytes.length + 1);
    this.#buffer.set(bytes, this.#used);
    this.#end(bytes.length, at);
  }

  /** Adds the record `text`, which must not contain a line feed. */
  addText(text: string, at: SourcePoint): void {
    this.#reserve(text.length * MAX_UTF8_BYTES + 1);
    this.#end(this.#buffer.write(text, this.#used), at);
  }

  /** Whether enough records are collected for a block, or much of the upload was read for few bytes of records. */
  get full(): boolean {
    const { offset } = this.#last;
    return this.#used >= BLOCK_BYTES || (this.#used > 0 && offset - this.#from.offset >= BLOCK_BYTES);
  }

  /** Returns what was collected since the last call; undefined if there is nothing. */
  take(): RecordBlock | undefined {
    if (this.#used === 0) return undefined;
    const bytes = this.#buffer.subarray(0, this.#used);
    const block = { bytes, ends: this.#ends, lines: this.#lines, from: this.#from };
    this.#buffer = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#used = 0;
    this.#ends = [];
    this.#lines = [];
    return block;
  }

  #reserve(more: number): void {
    const size = this.#used + more;
    if (size > this.#buffer.length)
      this.#buffer = grown(this.#buffer, this.#used, Math.max(this.#buffer.length * 2, size));
  }

  #end(bytes: number, at: SourcePoint): void {
    if (this.#used === 0) this.#from = at;
    this.#last = at;
    this.#used += bytes;
    this.#buffer[this.#used++] = 0x0a;
    this.#ends.push(this.#used);
    this.#lines.push(at.line);
  }
}
