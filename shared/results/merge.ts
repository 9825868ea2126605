import { decodeFrame } from '../contract/frame.ts';
import { type FailedFold, type FramePlace, failureOf, type PartialLine } from '../contract/outcome.ts';
import { storableText } from '../contract/text/text.ts';
import { errorLine, toErrorText } from '../processing/outcome/error-text.ts';
import { partialLine, synchronous } from '../processing/outcome/fold.ts';
import type { Workload } from '../workload/define.ts';

/**
 * A report that cannot be created, however often it is tried: the workload's code threw, stored data cannot be read, or
 * there are too many keys. The message contains the reason, in characters that a column can store.
 */
export class ReportError extends Error {
  override name = 'ReportError';
}

/**
 * Runs a step of creating a report. Any error becomes a ReportError that begins with `what`. It has no `cause`: the text
 * of the error is in the message, and a workload may throw a value that throws again when it is read.
 */
export function reportStep<T>(what: () => string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new ReportError(storableText(`${what()}: ${errorLine(toErrorText(error))}`));
  }
}

export type Merge = ReturnType<typeof createMerge>;

const MAX_KEY_CHARS = 100;

/** The part of a workload that creates the report. */
export interface Reducing extends Pick<Workload, 'name'> {
  reduce: NonNullable<Workload['reduce']>;
}

/** Merges partial aggregates with the workload's `reduce`. */
export function createMerge({ name, reduce }: Reducing) {
  const merged = new Map<string, unknown>();
  const both = (key: string, value: unknown): unknown =>
    reportStep(
      () => `The merge of key ${shown(key)} failed`,
      () => synchronous('merge', reduce.merge(merged.get(key), value)),
    );
  const lineOf = (key: string): string => {
    const value = reportStep(
      () => `The finish of key ${shown(key)} failed`,
      () => synchronous('finish', reduce.finish(key, merged.get(key))),
    );
    return reportStep(
      () => `The value of key ${shown(key)} cannot be written`,
      () => partialLine(key, value),
    );
  };
  return {
    add: (partial: readonly PartialLine[]): void => {
      for (const { key, value } of partial) merged.set(key, merged.has(key) ? both(key, value) : value);
      if (merged.size > reduce.maxKeys)
        throw new ReportError(`The report has more than ${reduce.maxKeys} keys, the limit of workload "${name}"`);
    },
    keys: (): number => merged.size,
    /** Finishes each key. Returns the lines of the report: JSON of {key, value}, sorted by key. Throws ReportError. */
    lines: (): string[] => [...merged.keys()].sort().map(lineOf),
  };
}

const shown = (key: string): string => JSON.stringify(key.slice(0, MAX_KEY_CHARS));

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
