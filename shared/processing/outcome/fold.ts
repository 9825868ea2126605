import type { FailedFold } from '../../contract/outcome.ts';
import type { Workload } from '../../workload/define.ts';
import { toFaithful } from './encode/result-json.ts';
import { errorLine, toErrorText } from './error-text.ts';

export interface Fold {
  add(result: unknown): void;
  /** Lines of PartialLine, sorted by key. */
  lines(): string[];
}

/**
 * Folds the results of a chunk with the workload's `reduce`; undefined for a workload without one. The fold never throws:
 * a defect in `key`, `init` or `add` must not cost the results of items whose handler has run. Its lines are then one
 * FailedFold.
 */
export function createFold(reduce: Workload['reduce']): Fold | undefined {
  if (reduce === undefined) return undefined;
  const { add, lines } = createStrictFold(reduce);
  let failed: string | undefined;
  const unlessFailed = <A, T>(step: (arg: A) => T, arg: A): T | undefined => {
    if (failed !== undefined) return undefined;
    try {
      return step(arg);
    } catch (error) {
      failed = errorLine(toErrorText(error));
      return undefined;
    }
  };
  return {
    add: (result) => unlessFailed(add, result),
    lines: () => unlessFailed(lines, undefined) ?? [JSON.stringify({ failed } as FailedFold)],
  };
}

/**
 * Like `createFold`, but `add` throws the errors of the workload's `key`, `init` and `add`, and TypeError for a key that
 * is not a string; `lines` throws for a folded value that cannot be written as JSON.
 */
export function createStrictFold(reduce: NonNullable<Workload['reduce']>): Fold {
  const values = new Map<string, unknown>();
  const added = (key: string, known: unknown, result: unknown): unknown => {
    const isKnown = known !== undefined || values.has(key);
    return synchronous('add', reduce.add(isKnown ? known : reduce.init(), result, key));
  };
  return {
    add: (result) => {
      const key = reduce.key(result);
      if (typeof key === 'string') {
        const known = values.get(key);
        const value = added(key, known, result);
        // Most values are objects that `add` changes in place.
        if (value !== known || known === undefined) values.set(key, value);
        return;
      }
      // All are added before any is stored: a result counts for all of its keys or for none.
      const all = checked(key).map((one) => [one, added(one, values.get(one), result)] as const);
      for (const [one, value] of all) values.set(one, value);
    },
    lines: () => [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => partialLine(key, value)),
  };
}

function checked(keys: unknown): readonly string[] {
  const wrong = Array.isArray(keys) ? keys.find((key) => typeof key !== 'string') : keys;
  if (Array.isArray(keys) && wrong === undefined) return keys;
  throw new TypeError(`reduce.key must return a string or an array of strings, got ${typeof wrong}.`);
}

/**
 * Returns the line of one key, in partial aggregates and reports.
 * @throws TypeError, for example `report["ada|EUR"].amount is NaN`.
 */
export function partialLine(key: string, value: unknown): string {
  return `{"key":${JSON.stringify(key)},"value":${toFaithful(['report', key], value).json}}`;
}

/**
 * Returns what a step of `reduce` returned.
 * @throws TypeError for a promise, which would be written as `{}`.
 */
export function synchronous<T>(name: string, value: T): T {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') return value;
  // No code awaits it, and its rejection must not end the process.
  Promise.resolve(value).catch(() => undefined);
  throw new TypeError(`reduce.${name} must be synchronous, but returned a promise.`);
}
