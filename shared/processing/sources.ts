import { FrameError } from '../contract/errors.ts';
import { decodeFrame } from '../contract/frame.ts';
import { type Attempt, itemTextIn, type RetryItem } from '../contract/outcome.ts';
import type { Reference } from '../contract/reference.ts';

/** One line of a frame. `line` counts from the frame's start, `index` from the batch's. */
export interface Source {
  line: number;
  index: number;
  attempts: readonly Attempt[];
  text: string;
  /** The line of a retries frame; undefined for kind `items`, whose line is the item itself and is parsed when it runs. */
  retry: RetryItem | undefined;
}

const NO_ATTEMPTS: readonly Attempt[] = [];

/** The lines of its frame that a reference speaks of: [first, end). `items` counts the frame's unless `take` is given. */
export function rangeOf({ items, skip = 0, take }: Reference): [first: number, end: number] {
  return [skip, take === undefined ? Math.max(items, skip) : skip + take];
}

/**
 * Decodes and cuts a chunk's frame.
 * @throws FrameError when the frame or one of its lines is not what the reference promises.
 */
export function readSources(reference: Reference, frame: Uint8Array): Source[] {
  const lines = splitLines(decodeFrame(frame, { bytes: reference.bytes, digest: reference.digest }).toString('utf8'));
  const [first, end] = rangeOf(reference);
  const whole = reference.take === undefined;
  if (lines.length < end || (whole && lines.length !== end)) {
    throw new FrameError(`Frame holds another number of lines: expected ${end}, got ${lines.length}.`);
  }
  const read = reference.kind === 'items' ? readItemLine : readRetryLine;
  return lines.slice(first, end).map((text, i) => read(text, first + i, reference));
}

/** The non-empty lines of NDJSON. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (end > start) lines.push(text.slice(start, end));
    start = end + 1;
  }
  return lines;
}

const readItemLine = (text: string, line: number, { firstItem }: Reference): Source => ({
  line,
  index: firstItem + line,
  attempts: NO_ATTEMPTS,
  text,
  retry: undefined,
});

function readRetryLine(text: string, line: number): Source {
  const retry = parseRetry(text, line);
  return { line, index: retry.index, attempts: retry.attempts, text, retry };
}

/** Checked by hand: the lines are the pipeline's own, and a schema per line costs more than all the rest of reading. */
function parseRetry(text: string, line: number): RetryItem {
  try {
    const retry = JSON.parse(text) as RetryItem;
    if (Number.isSafeInteger(retry.index) && Array.isArray(retry.attempts)) return retry;
  } catch {}
  throw new FrameError(`Line ${line + 1} of a retries frame is not {index, attempts, item}: ${text.slice(0, 80)}`);
}

/** The item of a line. @throws SyntaxError for a line that is not JSON. */
export const itemOf = (source: Source): unknown => (source.retry ? source.retry.item : JSON.parse(source.text));

/**
 * The item as JSON text, undefined when it cannot be read. Taken from the line, never from the parsed item: a handler
 * may have changed that one.
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
