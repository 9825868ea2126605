import type { Workload } from '../workload/define.ts';

/** A chunk's partial aggregate in the making. */
export interface Fold {
  /** @throws whatever the workload's `key`, `init` or `add` throws, and TypeError for a key that is no string. */
  add(result: unknown): void;
  /** Lines of PartialLine, sorted by key. @throws when a folded value cannot be written as JSON. */
  lines(): string[];
}

/** Folds results by the workload's `reduce`; undefined for a workload without one. */
export function createFold(reduce: Workload['reduce']): Fold | undefined {
  if (reduce === undefined) return undefined;
  const values = new Map<string, unknown>();
  return {
    add: (result) => {
      const key = reduce.key(result);
      if (typeof key !== 'string') throw new TypeError(`reduce.key must return a string, got ${typeof key}.`);
      values.set(key, reduce.add(values.has(key) ? values.get(key) : reduce.init(), result));
    },
    lines: () => [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => partialLine(key, value)),
  };
}

function partialLine(key: string, value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`The folded value of key ${JSON.stringify(key)} is not JSON.`);
  return `{"key":${JSON.stringify(key)},"value":${json}}`;
}
