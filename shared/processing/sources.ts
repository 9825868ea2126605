import { isAscii } from 'node:buffer';
import { FrameError } from '../contract/errors.ts';
import { decodeFrame } from '../contract/frame.ts';
import { type Attempt, itemTextIn, type RetryItem } from '../contract/outcome.ts';
import type { Reference } from '../contract/reference.ts';
import { toError } from '../errors.ts';
import { InvalidItem } from '../workload/validate-item.ts';
import { freeBytes } from './free-bytes.ts';

/** One line of a frame. `line` counts from the frame's start, `index` from the batch's. */
export interface Source {
  line: number;
  index: number;
  attempts: readonly Attempt[];
  text: string;
  /** The parsed line of a retries frame; undefined for kind `items`, whose line is parsed when it runs. */
  retry: RetryItem | undefined;
}

const NO_ATTEMPTS: readonly Attempt[] = [];

/**
 * Returns the lines of its frame that belong to a reference: [first, end). Without `take`, `items` counts the lines of
 * the frame.
 */
export function rangeOf({ items, skip = 0, take }: Reference): [first: number, end: number] {
  return [skip, take === undefined ? Math.max(items, skip) : skip + take];
}

/**
 * Decodes a chunk's frame and finds its lines.
 * @throws FrameError if the frame or one of its lines does not match the reference.
 */
export function readSources(reference: Reference, frame: Uint8Array): Sources {
  const bytes = decodeFrame(frame, { bytes: reference.bytes, digest: reference.digest });
  const [, end] = rangeOf(reference);
  const lines = findLines(bytes, end);
  const whole = reference.take === undefined;
  if (lines.count < end || (whole && lines.count !== end)) {
    throw new FrameError(`Frame contains a wrong number of lines: expected ${end}, got ${lines.count}.`);
  }
  return new Sources(bytes, lines, reference);
}

interface Lines {
  count: number;
  /** Offsets of the first lines, at most as many as requested. */
  starts: Uint32Array;
  ends: Uint32Array;
}

/** Counts the non-empty lines of NDJSON, and finds the offsets of the first `wanted` of them. */
function findLines(bytes: Buffer, wanted: number): Lines {
  // Never more than the bytes can contain, even if the reference is wrong.
  const room = Math.min(wanted, bytes.length);
  const lines = { count: 0, starts: new Uint32Array(room), ends: new Uint32Array(room) };
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end > start) {
      lines.starts[lines.count] = start;
      lines.ends[lines.count] = end;
      lines.count += 1;
    }
    start = end + 1;
  }
  return lines;
}

const NEWLINE = 10;

/**
 * The items of a chunk, by slot: the position in the chunk, from 0. An item of kind `items` is decoded from the bytes only
 * when it is read. If all lines of a chunk were decoded in advance, the strings would outlive the young generation of the
 * heap, and pile up in the old one until its next collection. Lines of kind `retries` are parsed in advance, because they
 * specify how each item must run.
 */
export class Sources implements Iterable<Source> {
  readonly length: number;
  /** The line of the item at slot 0. */
  readonly firstLine: number;
  readonly #bytes: Buffer;
  /** `latin1` if all bytes are ASCII, because it is faster. */
  readonly #encoding: 'latin1' | 'utf8';
  readonly #lines: Lines;
  readonly #firstItem: number;
  readonly #retries: readonly Source[] | undefined;

  /** @throws FrameError if the kind is `retries`, and a line is not a retry. */
  constructor(bytes: Buffer, lines: Lines, reference: Reference) {
    const [first, end] = rangeOf(reference);
    this.length = end - first;
    this.firstLine = first;
    this.#bytes = bytes;
    this.#encoding = isAscii(bytes) ? 'latin1' : 'utf8';
    this.#lines = lines;
    this.#firstItem = reference.firstItem;
    if (reference.kind === 'items') return;
    this.#retries = Array.from(this, ({ text, line }) => readRetryLine(text, line));
    this.release();
  }

  at(slot: number): Source {
    if (this.#retries) return this.#retries[slot] as Source;
    const line = this.firstLine + slot;
    const text = this.#bytes.toString(this.#encoding, this.#lines.starts[line], this.#lines.ends[line]);
    return { line, index: this.#firstItem + line, attempts: NO_ATTEMPTS, text, retry: undefined };
  }

  *[Symbol.iterator](): Generator<Source> {
    for (let slot = 0; slot < this.length; slot += 1) yield this.at(slot);
  }

  /** Returns the items that must run again in this way, in their order. */
  marked(rerun: NonNullable<RetryItem['rerun']>): readonly Source[] {
    return (this.#retries ?? []).filter(({ retry }) => retry?.rerun === rerun);
  }

  /** Returns the items without such a mark. */
  unmarked(): Iterable<Source> {
    return this.#retries?.filter(({ retry }) => retry?.rerun === undefined) ?? this;
  }

  /** Frees the memory that items are read from. No item may be read afterwards; those that were read stay valid. */
  release(): void {
    freeBytes(this.#bytes);
  }
}

/** Returns the non-empty lines of NDJSON. */
export const splitLines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Checked without a schema: the pipeline wrote these lines, and a schema per line costs more than the rest of reading. */
function readRetryLine(text: string, line: number): Source {
  try {
    const retry = JSON.parse(text) as RetryItem;
    const { index, attempts } = retry;
    if (Number.isSafeInteger(index) && Array.isArray(attempts)) return { line, index, attempts, text, retry };
  } catch {}
  throw new FrameError(`Line ${line + 1} of a retries frame is not {index, attempts, item}: ${text.slice(0, 80)}`);
}

/**
 * Returns the item of a line.
 * @throws InvalidItem if the line is not JSON.
 */
export function itemOf({ retry, text }: Source): unknown {
  if (retry) return retry.item;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidItem(`The line is not JSON: ${toError(error).message}`);
  }
}

/**
 * Returns the item as JSON text; undefined if it cannot be read. The text comes from the line, never from the parsed
 * item, which a handler may have changed.
 */
export function itemJsonOf({ text, retry }: Source): string | undefined {
  if (retry) return itemTextIn(text); // The line was parsed when it was read.
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}
