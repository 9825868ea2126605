/** Parsers return runs of records instead of single ones, so that a record costs no await. */
import type { CsvReading } from './csv-options.ts';
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

/** Collects records whose stored bytes differ from those of the upload. */
export interface BlockBuilder {
  /** Adds the record that begins at `at`; `bytes` is copied and must not contain a line feed. */
  add(bytes: Uint8Array, at: SourcePoint): void;
  /** Adds the record `text`, which must not contain a line feed. */
  addText(text: string, at: SourcePoint): void;
  /** Whether enough records are collected for a block, or much of the upload was read for few bytes of records. */
  readonly full: boolean;
  /** Returns what was collected since the last call; undefined if there is nothing. */
  take(): RecordBlock | undefined;
}

const BLOCK_BYTES = 64 * 1024;
/** Bytes per UTF-16 unit: a surrogate is half of a character of four bytes. */
const MAX_UTF8_BYTES = 3;

/** Returns a buffer of `size` bytes that begins with the first `used` of `buffer`; the content of the rest is undefined. */
export function grown(buffer: Buffer, used: number, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(size);
  larger.set(buffer.subarray(0, used));
  return larger;
}

/** Creates a builder of blocks of about 64 KiB, of records or of the upload. */
export function createBlockBuilder(): BlockBuilder {
  let buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let used = 0;
  let ends: number[] = [];
  let lines: number[] = [];
  let from = START;
  let last = START;
  const reserve = (more: number): void => {
    if (used + more > buffer.length) buffer = grown(buffer, used, Math.max(buffer.length * 2, used + more));
  };
  const end = (bytes: number, at: SourcePoint): void => {
    if (used === 0) from = at;
    last = at;
    used += bytes;
    buffer[used++] = 0x0a;
    ends.push(used);
    lines.push(at.line);
  };
  return {
    add(bytes, at) {
      reserve(bytes.length + 1);
      buffer.set(bytes, used);
      end(bytes.length, at);
    },
    addText(text, at) {
      reserve(text.length * MAX_UTF8_BYTES + 1);
      end(buffer.write(text, used), at);
    },
    get full() {
      return used >= BLOCK_BYTES || (used > 0 && last.offset - from.offset >= BLOCK_BYTES);
    },
    take() {
      if (used === 0) return undefined;
      const block = { bytes: buffer.subarray(0, used), ends, lines, from };
      buffer = Buffer.allocUnsafe(BLOCK_BYTES);
      used = 0;
      ends = [];
      lines = [];
      return block;
    },
  };
}
