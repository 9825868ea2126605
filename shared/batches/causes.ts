import { OTHER_CAUSES } from '../contract/cause.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';

export type Causes = Readonly<Record<string, number>>;

/** Maximum number of causes in a row: about 1.5 KB of JSON, since headers cut each cause to 120 characters. */
export const MAX_ROW_CAUSES = 10;

/** Sums dead letters by cause, as far as the headers of outcomes contain it: they list the most frequent causes of a chunk. */
export function sumCauses(headers: Iterable<Pick<OutcomeHeader, 'causes'> | undefined>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const header of headers) {
    for (const [cause, n] of Object.entries(header?.causes ?? {})) counts.set(cause, (counts.get(cause) ?? 0) + n);
  }
  return counts;
}

/** Returns the `most` most frequent causes of dead letters, without "other causes", which is no single cause. */
export function topCauses(
  headers: Iterable<Pick<OutcomeHeader, 'causes'> | undefined>,
  most: number,
): [cause: string, count: number][] {
  const counts = sumCauses(headers);
  counts.delete(OTHER_CAUSES);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, most);
}

/**
 * Returns the most frequent causes of `known` and `headers` together; undefined if there is none. A cause that was
 * dropped starts at zero when it occurs again, so that a count may be too low but never too high.
 */
export function addCauses(
  known: Causes | undefined,
  headers: Iterable<Pick<OutcomeHeader, 'causes'> | undefined>,
): Causes | undefined {
  const top = topCauses([known && { causes: known }, ...headers], MAX_ROW_CAUSES);
  return top.length === 0 ? undefined : Object.fromEntries(top);
}

/** Returns `known` without the causes of dead letters that a redrive or discard takes; undefined if none is left. */
export function withoutCauses(known: Causes | undefined, taken: Causes): Causes | undefined {
  const left = Object.entries(known ?? {}).map(([cause, n]) => [cause, n - (taken[cause] ?? 0)] as const);
  const standing = left.filter(([, n]) => n > 0);
  return standing.length === 0 ? undefined : Object.fromEntries(standing);
}
