import { decodeFrame } from '../contract/frame.ts';
import { type FailedFold, type FramePlace, failureOf, type PartialLine } from '../contract/outcome.ts';

/**
 * Decodes the values in the lines of a JSON frame. A JSON value cannot contain a line feed, and one call for all lines
 * takes half the time of a call per line.
 * @throws FrameError if the bytes do not match `place`; SyntaxError
 */
export function decodeValues(frame: Uint8Array, place: FramePlace): unknown[] {
  const lines = decodeFrame(frame, place).toString('utf8').trimEnd().replaceAll('\n', ',');
  return JSON.parse(`[${lines}]`) as unknown[];
}

/** Returns the lines of a partial aggregate; undefined if the results of the chunk could not be folded in its worker thread. */
export function partialLinesIn(values: readonly unknown[]): PartialLine[] | undefined {
  const lines = values as (PartialLine | FailedFold)[];
  return failureOf(lines) === undefined ? (lines as PartialLine[]) : undefined;
}
