import type { PartialLine } from '../contract/outcome.ts';
import { storableText } from '../contract/text/text.ts';
import { errorLine, toErrorText } from '../processing/outcome/error-text.ts';
import { partialLine } from '../processing/outcome/fold.ts';
import { synchronous } from '../processing/outcome/synchronous.ts';
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

/** A report that is being built. */
export interface Merge {
  /** Merges a chunk's partial aggregate. Throws ReportError. */
  add(partial: readonly PartialLine[]): void;
  /** Returns the number of keys. */
  keys(): number;
  /** Finishes each key. Returns the lines of the report: JSON of {key, value}, sorted by key. Throws ReportError. */
  lines(): string[];
}

const MAX_KEY_CHARS = 100;

/** Merges partial aggregates with the workload's `reduce`. */
export function createMerge({ name, reduce }: Pick<Workload, 'name' | 'reduce'>): Merge {
  const merged = new Map<string, unknown>();
  const both = (key: string, value: unknown): unknown =>
    merged.has(key) && reduce
      ? reportStep(
          () => `The merge of key ${shown(key)} failed`,
          () => synchronous('merge', reduce.merge(merged.get(key), value)),
        )
      : value;
  const finished = (key: string): unknown =>
    reportStep(
      () => `The finish of key ${shown(key)} failed`,
      () => synchronous('finish', reduce ? reduce.finish(key, merged.get(key)) : merged.get(key)),
    );
  return {
    add: (partial) => {
      for (const { key, value } of partial) merged.set(key, both(key, value));
      if (reduce === undefined || merged.size <= reduce.maxKeys) return;
      const { maxKeys } = reduce;
      throw new ReportError(`The report has more than ${maxKeys} keys, the limit of workload "${name}"`);
    },
    keys: () => merged.size,
    lines: () =>
      [...merged.keys()].sort().map((key) => {
        const value = finished(key);
        return reportStep(
          () => `The value of key ${shown(key)} cannot be written`,
          () => partialLine(key, value),
        );
      }),
  };
}

const shown = (key: string): string => JSON.stringify(key.slice(0, MAX_KEY_CHARS));
