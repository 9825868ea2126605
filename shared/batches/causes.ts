import { OTHER_CAUSES } from '../contract/cause.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';

/** How many items died of which cause. */
export type Causes = Readonly<Record<string, number>>;

/** Causes that a row keeps: some 1.5 KB of JSON, since headers cut each to 120 characters. */
export const MAX_ROW_CAUSES = 10;

/** Sums dead letters by cause, as far as the headers of outcomes name it: they list the most frequent causes of a chunk. */
export function sumCauses(headers: Iterable<Pick<OutcomeHeader, 'causes'> | undefined>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const header of headers) {
    for (const [cause, n] of Object.entries(header?.causes ?? {})) counts.set(cause, (counts.get(cause) ?? 0) + n);
  }
  return counts;
}

/** The `most` most frequent causes of dead letters, without "other causes", which names none. */
export function topCauses(
  headers: Iterable<Pick<OutcomeHeader, 'causes'> | undefined>,
  most: number,
): [cause: string, count: number][] {
  const counts = sumCauses(headers);
  counts.delete(OTHER_CAUSES);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, most);
}

/**
 * The most frequent causes of `known` and of `headers` together; undefined for none. A cause that was crowded out begins
 * anew when it comes again, so that a count is never more than the truth, and may be less.
 */
export function addCauses(
  known: Causes | undefined,
  headers: Iterable<Pick<OutcomeHeader, 'causes'> | undefined>,
): Causes | undefined {
  const top = topCauses([known && { causes: known }, ...headers], MAX_ROW_CAUSES);
  return top.length === 0 ? undefined : Object.fromEntries(top);
}

/** What is left of `known` when dead letters of these causes are taken up; undefined for none. */
export function withoutCauses(known: Causes | undefined, taken: Causes): Causes | undefined {
  const left = Object.entries(known ?? {}).map(([cause, n]) => [cause, n - (taken[cause] ?? 0)] as const);
  const standing = left.filter(([, n]) => n > 0);
  return standing.length === 0 ? undefined : Object.fromEntries(standing);
}
