import type { Workload } from '../../workload/define.ts';
import { toResultJson } from './result-json.ts';

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
  const known = (key: string): unknown => {
    const value = values.get(key);
    return value !== undefined || values.has(key) ? value : reduce.init();
  };
  const add = (key: string, result: unknown): unknown => reduce.add(known(key), result, key);
  return {
    add: (result) => {
      const key = reduce.key(result);
      if (typeof key === 'string') values.set(key, add(key, result));
      // All are added before any is kept: a result counts for all of its keys or for none.
      else for (const [one, value] of checked(key).map((k) => [k, add(k, result)] as const)) values.set(one, value);
    },
    lines: () => [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => partialLine(key, value)),
  };
}

function checked(keys: unknown): readonly string[] {
  const wrong = Array.isArray(keys) ? keys.find((key) => typeof key !== 'string') : keys;
  if (Array.isArray(keys) && wrong === undefined) return keys;
  throw new TypeError(`reduce.key must return a string or strings, got ${typeof wrong}.`);
}

/** The line of one key, in partial aggregates and reports. @throws TypeError: `report["ada|EUR"].amount is NaN`. */
export function partialLine(key: string, value: unknown): string {
  return `{"key":${JSON.stringify(key)},"value":${toResultJson(['report', key], value)}}`;
}
