/**
 * Parses NDJSON without moving the lines: a received buffer is validated as UTF-8 as a whole, its lines are recognised one
 * by one, and it is passed on without a copy unless it has blank lines or CRLF. Joining lines with "," for one JSON.parse
 * was measured: it is not faster than one call per line, and would accept `1,2` as two records.
 */
import { isUtf8 } from 'node:buffer';
import type { Problem } from '../../errors.ts';
import { BlankBytes, tooLarge, type UploadLimits } from '../limits.ts';
import { requireJson } from './json-fault.ts';
import { jsonLineEnd, NOT_RECOGNISED } from './json-scan.ts';
import { PendingBytes } from './pending-bytes.ts';
import { requireUtf8, START } from './position.ts';
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
  let { offset, line } = resume?.at ?? START;
  const pending = new PendingBytes();
  const reading = { maxBytes: limits.maxRecordBytes, blank: new BlankBytes() };
  function* read(bytes: Buffer): Generator<RecordBlock> {
    const { block, fault, nextLine } = readLines(bytes, { offset, line }, reading);
    line = nextLine;
    offset += bytes.length;
    if (block) yield block;
    if (fault !== undefined) throw fault;
  }
  for await (const piece of source) {
    const cut = piece.lastIndexOf(LF) + 1;
    // Only a line that is split between pieces is copied.
    const torn = cut > 0 && pending.size > 0 ? piece.indexOf(LF) + 1 : 0;
    if (torn > 0) yield* read(pending.take(piece.subarray(0, torn)));
    if (cut > torn) yield* read(piece.subarray(torn, cut));
    pending.push(piece.subarray(cut));
    if (pending.size > limits.maxRecordBytes + 1) throw lineTooLong(line, limits.maxRecordBytes); // + 1: a CR
  }
  yield* read(pending.take(Buffer.from([LF])));
}

interface Reading {
  /** Maximum size of one record. */
  maxBytes: number;
  blank: BlankBytes;
}

/** The start of a line: the bytes before it, and its number. */
interface LineStart {
  offset: number;
  line: number;
}

interface Lines {
  block: RecordBlock | undefined;
  nextLine: number;
  /** The error that follows the block. */
  fault?: unknown;
}

/** Reads lines; `bytes` ends with a line feed. */
function readLines(bytes: Buffer, first: LineStart, reading: Reading): Lines {
  const found: FoundLines = { starts: [], stops: [], lines: [] };
  try {
    const nextLine = findLines(bytes, first.line, { ...reading, found });
    return { block: toBlock(bytes, found, first.offset), nextLine };
  } catch (fault) {
    return { block: toBlock(bytes, found, first.offset), nextLine: first.line, fault };
  }
}

/** Adds the lines of `bytes` to `found`, and returns the number of the line after them. */
function findLines(
  bytes: Buffer,
  firstLine: number,
  { maxBytes, blank, found }: Reading & { found: FoundLines },
): number {
  const isValid = isUtf8(bytes);
  let line = firstLine;
  for (let start = 0; start < bytes.length; line++) {
    if ((bytes[start] ?? 0) <= SPACE) {
      const skipped = skipBlank(bytes, start, { line, maxBytes });
      blank.skip(skipped.end - start, line);
      ({ line, end: start } = skipped);
      if (start === bytes.length) break;
    }
    const recognised = isValid ? jsonLineEnd(bytes, start) : NOT_RECOGNISED;
    const end = recognised === NOT_RECOGNISED ? bytes.indexOf(LF, start) : recognised;
    const stop = bytes[end - 1] === CR ? end - 1 : end;
    if (stop - start > maxBytes) throw lineTooLong(line, maxBytes);
    if (recognised === NOT_RECOGNISED) {
      requireUtf8(bytes.subarray(start, stop), { line, column: 1 });
      requireJson(bytes.toString('utf8', start, end), { line, column: 1 });
    }
    blank.end();
    found.starts.push(start);
    found.stops.push(stop);
    found.lines.push(line);
    start = end + 1;
  }
  return line;
}

/** Returns the start of the first line at or after `start` that is not blank, and its number. Blank lines are ASCII. */
function skipBlank(
  bytes: Buffer,
  start: number,
  from: { line: number; maxBytes: number },
): { end: number; line: number } {
  let { line } = from;
  let end = start;
  for (let offset = start; offset < bytes.length; offset++) {
    const byte = bytes[offset];
    if (byte === LF) {
      if (offset - end > from.maxBytes + 1) throw lineTooLong(line, from.maxBytes); // + 1: a CR
      end = offset + 1;
      line++;
    } else if (byte !== SPACE && byte !== TAB && byte !== CR) break;
  }
  return { end, line };
}

/** Where the records of a buffer are, without their line endings. */
interface FoundLines {
  starts: number[];
  stops: number[];
  lines: number[];
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

const lineTooLong = (line: number, maxRecordBytes: number): Problem =>
  tooLarge({ line, column: 1 }, `The record is over ${maxRecordBytes} bytes.`);
