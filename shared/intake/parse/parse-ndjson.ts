/**
 * Parses NDJSON without moving the lines: a received buffer is validated as UTF-8 as a whole, its lines are recognised one
 * by one, and it is passed on without a copy unless it has blank lines or CRLF. Joining lines with "," for one JSON.parse
 * was measured: it is not faster than one call per line, and would accept `1,2` as two records.
 */
import { isUtf8 } from 'node:buffer';
import { BlankBytes, tooLarge, type UploadLimits } from '../limits.ts';
import { requireJson } from './json-fault.ts';
import { jsonLineEnd, NOT_RECOGNISED } from './json-scan.ts';
import { PendingBytes } from './pending-bytes.ts';
import { requireUtf8, type SourcePoint, START } from './position.ts';
import { BlockBuilder, type ParserResume, type RecordBlock } from './record-block.ts';

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/**
 * Returns the records of NDJSON: one JSON value per line, kept byte for byte except for a CR before the line feed. Blank
 * lines are counted as lines, but they are not records; the last line needs no line feed. With `resume`, `source` begins at
 * its place.
 * @throws Problem 'malformed-record' at the first line that is not JSON or not UTF-8; 'too-large' for a line that is too
 * long.
 */
export async function* parseNdjson(
  source: AsyncIterable<Buffer>,
  limits: Pick<UploadLimits, 'maxRecordBytes'>,
  resume?: ParserResume,
): AsyncGenerator<RecordBlock> {
  const { maxRecordBytes } = limits;
  const reader = new LineReader(maxRecordBytes, resume?.at ?? START);
  const pending = new PendingBytes();
  for await (const piece of source) {
    const cut = piece.lastIndexOf(LF) + 1;
    // Only a line that is split between pieces is copied.
    const torn = cut > 0 && pending.size > 0 ? piece.indexOf(LF) + 1 : 0;
    if (torn > 0) yield* reader.read(pending.take(piece.subarray(0, torn)));
    if (cut > torn) yield* reader.read(piece.subarray(torn, cut));
    pending.push(piece.subarray(cut));
    reader.requireShort(pending.size);
  }
  yield* reader.read(pending.take(Buffer.from([LF])));
}

/** Where the records of a buffer are, without their line endings. */
interface FoundLines {
  starts: number[];
  stops: number[];
  lines: number[];
}

class LineReader {
  readonly #maxBytes: number;
  readonly #blank = new BlankBytes();
  /** Number of bytes before the next buffer. */
  #offset: number;
  #line: number;

  constructor(maxBytes: number, { offset, line }: SourcePoint) {
    this.#maxBytes = maxBytes;
    this.#offset = offset;
    this.#line = line;
  }

  /** Yields the records of `bytes`, which end with a line feed. If a line is faulty, those before it are yielded first. */
  *read(bytes: Buffer): Generator<RecordBlock> {
    const found: FoundLines = { starts: [], stops: [], lines: [] };
    try {
      this.#findLines(bytes, found);
    } finally {
      const block = toBlock(bytes, found, this.#offset);
      this.#offset += bytes.length;
      if (block) yield block;
    }
  }

  /** Refuses a line of which `bytes` were read, with or without a CR. */
  requireShort(bytes: number): void {
    if (bytes > this.#maxBytes + 1) this.#refuseLong();
  }

  #refuseLong(): never {
    throw tooLarge({ line: this.#line, column: 1 }, `The record is over ${this.#maxBytes} bytes.`);
  }

  #findLines(bytes: Buffer, { starts, stops, lines }: FoundLines): void {
    const isValid = isUtf8(bytes);
    for (let start = 0; start < bytes.length; this.#line++) {
      if ((bytes[start] ?? 0) <= SPACE) {
        start = this.#skipBlank(bytes, start);
        if (start === bytes.length) break;
      }
      const recognised = isValid ? jsonLineEnd(bytes, start) : NOT_RECOGNISED;
      const end = recognised === NOT_RECOGNISED ? bytes.indexOf(LF, start) : recognised;
      const stop = bytes[end - 1] === CR ? end - 1 : end;
      if (stop - start > this.#maxBytes) this.#refuseLong();
      if (recognised === NOT_RECOGNISED) {
        const at = { line: this.#line, column: 1 };
        requireUtf8(bytes.subarray(start, stop), at);
        requireJson(bytes.toString('utf8', start, end), at);
      }
      this.#blank.end();
      starts.push(start);
      stops.push(stop);
      lines.push(this.#line);
      start = end + 1;
    }
  }

  /** Returns the start of the first line at or after `start` that is not blank. Blank lines are ASCII. */
  #skipBlank(bytes: Buffer, start: number): number {
    const first = this.#line;
    let end = start;
    for (let offset = start; offset < bytes.length; offset++) {
      const byte = bytes[offset];
      if (byte === LF) {
        this.requireShort(offset - end);
        end = offset + 1;
        this.#line++;
      } else if (byte !== SPACE && byte !== TAB && byte !== CR) break;
    }
    this.#blank.skip(end - start, first);
    return end;
  }
}

function toBlock(bytes: Buffer, { starts, stops, lines }: FoundLines, offset: number): RecordBlock | undefined {
  if (stops.length === 0) return undefined;
  const kept = stops.reduce((sum, stop, index) => sum + stop + 1 - (starts[index] ?? 0), 0);
  const at = (index: number) => ({ offset: offset + (starts[index] ?? 0), line: lines[index] ?? 1, column: 1 });
  if (kept === bytes.length) return { bytes, ends: stops.map((stop) => stop + 1), lines, from: at(0) };
  const builder = new BlockBuilder();
  for (const index of lines.keys()) builder.add(bytes.subarray(starts[index], stops[index]), at(index));
  return builder.take();
}
