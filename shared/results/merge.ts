import type { PartialLine } from '../contract/outcome.ts';
import type { Workload } from '../workload/define.ts';

/** A report would have more keys than its workload allows. */
export class ReportTooLargeError extends Error {
  override name = 'ReportTooLargeError';
}

/** A report in the making. */
export interface Merge {
  /** Merges a chunk's partial aggregate. Throws ReportTooLargeError for a key too many. */
  add(partial: readonly PartialLine[]): void;
  /** The lines of the report: JSON of {key, value}, sorted by key. */
  lines(): string[];
}

/** Merges partial aggregates by the workload's `reduce`. */
export function createMerge({ name, reduce }: Pick<Workload, 'name' | 'reduce'>): Merge {
  const merged = new Map<string, unknown>();
  return {
    add: (partial) => {
      for (const { key, value } of partial) {
        merged.set(key, merged.has(key) && reduce ? reduce.merge(merged.get(key), value) : value);
      }
      if (reduce === undefined || merged.size <= reduce.maxKeys) return;
      const { maxKeys } = reduce;
      throw new ReportTooLargeError(`The report has more than ${maxKeys} keys, the limit of workload "${name}".`);
    },
    lines: () => [...merged.keys()].sort().map((key) => JSON.stringify({ key, value: merged.get(key) })),
  };
}
