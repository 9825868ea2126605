import type { OutcomeHeader } from '../../contract/outcome.ts';
import { asciiJson } from '../../contract/text/text.ts';

const MAX_CAUSES = 8;
const MAX_CAUSE_CHARS = 120;
/** Metadata of a blob: 8 KiB with all names and values (learn: setting and retrieving metadata); 512 bytes stay free. */
const MAX_HEADER_BYTES = 8 * 1024 - 512;

/**
 * The header with its most frequent causes: as many of them as the metadata of a blob holds beside it, once they are
 * written as ASCII, where a character can take six bytes.
 */
export function withCauses(header: OutcomeHeader, causes: Readonly<Record<string, number>>): OutcomeHeader {
  const top = [...shortened(causes)].sort(([, a], [, b]) => b - a).slice(0, MAX_CAUSES);
  for (; top.length > 0; top.pop()) {
    const full = { ...header, causes: Object.fromEntries(top) };
    if (asciiJson(full).length <= MAX_HEADER_BYTES) return full;
  }
  return header;
}

/** A cause as headers have it. */
export const shortCause = (cause: string): string => cause.slice(0, MAX_CAUSE_CHARS);

/** Whether `name` names a cause: as dead letters are grouped, or as headers and rows have it. */
export const hasName = (cause: string, name: string): boolean => cause === name || shortCause(cause) === name;

/** Causes that are the same once they are cut count together. */
function shortened(causes: Readonly<Record<string, number>>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [cause, n] of Object.entries(causes)) {
    const short = shortCause(cause);
    counts.set(short, (counts.get(short) ?? 0) + n);
  }
  return counts;
}
