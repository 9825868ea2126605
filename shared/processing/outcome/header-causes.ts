import { sumCauses } from '../../batches/causes.ts';
import type { OutcomeHeader } from '../../contract/outcome.ts';
import { asciiJson } from '../../contract/text/text.ts';

const MAX_CAUSES = 8;
const MAX_CAUSE_CHARS = 120;
/** Maximum size of a header: metadata of a blob may have 8 KiB (source: Microsoft Learn); 512 bytes stay free. */
const MAX_HEADER_BYTES = 8 * 1024 - 512;

/**
 * Returns the header with its most frequent causes: as many as fit beside it into the metadata of a blob. They are
 * written as ASCII, in which a character can take six bytes.
 */
export function withCauses(header: OutcomeHeader, causes: Readonly<Record<string, number>>): OutcomeHeader {
  const short = Object.entries(causes).map(([cause, n]) => ({ causes: { [shortCause(cause)]: n } }));
  const top = [...sumCauses(short)].sort(([, a], [, b]) => b - a).slice(0, MAX_CAUSES);
  for (; top.length > 0; top.pop()) {
    const full = { ...header, causes: Object.fromEntries(top) };
    if (asciiJson(full).length <= MAX_HEADER_BYTES) return full;
  }
  return header;
}

/** Returns a cause as headers contain it. */
export const shortCause = (cause: string): string => cause.slice(0, MAX_CAUSE_CHARS);

/** Returns whether `name` is a cause: in full, as dead letters are grouped, or short, as in headers and rows. */
export const hasName = (cause: string, name: string): boolean => cause === name || shortCause(cause) === name;
