import type { OutcomeHeader } from '../contract/outcome.ts';

/** Sums dead letters by cause, as far as the headers of outcomes name it: they list the most frequent causes of a chunk. */
export function sumCauses(headers: Iterable<Pick<OutcomeHeader, 'causes'> | undefined>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const header of headers) {
    for (const [cause, n] of Object.entries(header?.causes ?? {})) counts.set(cause, (counts.get(cause) ?? 0) + n);
  }
  return counts;
}
