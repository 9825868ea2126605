/**
 * Positions in an upload. Lines are 1-based and end at a line feed. Columns are 1-based and count Unicode code points,
 * neither bytes nor UTF-16 units: an emoji is one column. A byte order mark is not counted.
 */
import { isUtf8 } from 'node:buffer';
import { Problem } from '../../errors.ts';

/** A place in the decoded text of an upload; both 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A position, with the number of bytes of the decoded upload before it. */
export interface SourcePoint extends Position {
  readonly offset: number;
}

export const START: SourcePoint = { offset: 0, line: 1, column: 1 };

/** Returns the position after `text`, which begins at `from`. */
export function advance(from: Position, text: string): Position {
  const lastBreak = text.lastIndexOf('\n');
  if (lastBreak < 0) return { line: from.line, column: from.column + codePoints(text) };
  return { line: from.line + text.split('\n').length - 1, column: 1 + codePoints(text.slice(lastBreak + 1)) };
}

function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) if (isHighSurrogate(text.charCodeAt(index))) count--;
  return count;
}

// Texts come from valid UTF-8, where each high surrogate is followed by a low one.
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Creates the problem of a record that cannot be read, with position and cause. */
export const malformed = (at: Position, message: string): Problem =>
  new Problem('malformed-record', `Line ${at.line}, column ${at.column}: ${message}`, {
    errors: [{ line: at.line, column: at.column, message }],
  });

/**
 * Throws at the first byte of `bytes` that is not UTF-8. `from` is the position of `bytes`; `advice` says what to do.
 * @throws Problem 'malformed-record' if there is such a byte.
 */
export function requireUtf8(bytes: Buffer, from: Position, advice = ''): void {
  if (isUtf8(bytes)) return;
  throw malformed(advance(from, validPrefix(bytes)), `Invalid UTF-8.${advice}`);
}

const REPLACEMENT = Buffer.from('\ufffd');

/** Returns the text before the first invalid byte. A U+FFFD is genuine only if the bytes contain it, too. */
function validPrefix(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  let offset = 0;
  for (let start = 0; ; ) {
    const end = text.indexOf('\ufffd', start);
    offset += Buffer.byteLength(text.slice(start, end));
    if (end < 0 || !bytes.subarray(offset, offset + REPLACEMENT.length).equals(REPLACEMENT)) return text.slice(0, end);
    offset += REPLACEMENT.length;
    start = end + 1;
  }
}
