/** What the parsers hand on: runs of records, not single ones, so that a record costs no await. */
import type { CsvReading } from './csv/csv-options.ts';
import { type SourcePoint, START } from './position.ts';

/** Consecutive records of an upload. */
export interface RecordBlock {
  /** NDJSON: each record on one line, ended by a line feed. */
  bytes: Buffer;
  /** Per record the offset in `bytes` behind its line feed. */
  ends: number[];
  /** Per record the 1-based line of the decoded upload where it begins. */
  lines: number[];
  /** Where its first record begins. A parser that resumes there gives the same records from here on. */
  from: SourcePoint;
}

/** Where a parser begins, when an earlier one has read what is before: `from` of a block. */
export interface ParserResume {
  at: SourcePoint;
  /** What the upload was read as, for the header line is not read again; only CSV has and needs one. */
  csv?: CsvReading | undefined;
}

/** Collects records that do not lie in the upload as they are stored. */
export interface BlockBuilder {
  /** Adds the record that begins at `at`; `bytes` is copied and holds no line feed. */
  add(bytes: Uint8Array, at: SourcePoint): void;
  /** Adds the record `text`, which holds no line feed. */
  addText(text: string, at: SourcePoint): void;
  /** Whether enough is collected to be handed on. */
  readonly full: boolean;
  /** What was collected since the last call, or undefined when that is nothing. */
  take(): RecordBlock | undefined;
}

const BLOCK_BYTES = 64 * 1024;
/** Of one UTF-16 unit: a surrogate is half of a character of four bytes. */
const MAX_UTF8_BYTES = 3;

/** A buffer of `size` bytes that begins with the first `used` of `buffer`; the content of the rest is undefined. */
export function grown(buffer: Buffer, used: number, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(size);
  larger.set(buffer.subarray(0, used));
  return larger;
}

/** A builder of blocks of about 64 KiB. */
export function createBlockBuilder(): BlockBuilder {
  let buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let used = 0;
  let ends: number[] = [];
  let lines: number[] = [];
  let from = START;
  const reserve = (more: number): void => {
    if (used + more > buffer.length) buffer = grown(buffer, used, Math.max(buffer.length * 2, used + more));
  };
  const end = (bytes: number, at: SourcePoint): void => {
    if (used === 0) from = at;
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
      return used >= BLOCK_BYTES;
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
