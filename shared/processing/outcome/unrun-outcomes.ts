/** Outcomes of whole chunks that are created without running a handler. */

import { causeOf } from '../../contract/cause.ts';
import type { OutcomeHeader } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import { rangeOf, readSources, type Source } from '../sources.ts';
import type { ChunkOutcome } from './encode/encode-outcome.ts';
import { encodeOutcome } from './encode/encode-outcome.ts';
import { deadLine } from './encode/lines.ts';
import { attemptError, toErrorText } from './error-text.ts';

/** Maximum number of parts of a split: one receive of a storage queue. */
const MAX_PARTS = 32;

/** The values that all outcomes without a handler run have in common. */
const UNRUN = { failures: 0, failure: '', ran: 0, causes: {} };

/** A chunk whose outcome is created as a whole. */
export interface UnrunChunk {
  reference: Reference;
  ending: 'cancelled' | 'payloadMissing' | 'digest' | 'killed';
  error: unknown;
  nowMs: number;
  /** The stored frame, if there is one: dead letters then contain their items and, for kind `retries`, the right index. */
  frame?: Uint8Array;
}

/**
 * Returns the outcome of a chunk that ends as a whole. `cancelled` only counts; otherwise, every item is a dead letter.
 * Without a readable frame, items are absent, and an item of kind `retries`, whose index is stored only in its line, gets
 * firstItem + its line.
 */
export function unrunOutcome(unrun: UnrunChunk): ChunkOutcome {
  const { reference, ending } = unrun;
  const [first, last] = rangeOf(reference);
  const none = { items: last - first, succeeded: 0, dead: 0, cancelled: 0, retried: 0 };
  if (ending === 'cancelled')
    return { ...encodeOutcome({ ending, counts: { ...none, cancelled: none.items } }, {}), ...UNRUN };
  const error = toErrorText(unrun.error);
  const killed = { at: new Date(unrun.nowMs).toISOString(), error: attemptError(error) };
  const dead = deadSources(unrun).map((source) => {
    const before = 'attempts' in source ? source.attempts : [];
    const attempts = ending === 'killed' ? [...before, killed] : before;
    return deadLine(source, { reason: ending, error, attempts, version: reference.version });
  });
  const encoded = encodeOutcome({ ending, counts: { ...none, dead: dead.length } }, { dead });
  return { ...encoded, ...UNRUN, ...(dead.length > 0 && { causes: { [causeOf(ending, error)]: dead.length } }) };
}

function deadSources({ reference, ending, frame }: UnrunChunk): (Source | Pick<Source, 'index'>)[] {
  const [first, last] = rangeOf(reference);
  try {
    if (frame !== undefined && ending !== 'payloadMissing') return [...readSources(reference, frame)];
  } catch {}
  return Array.from({ length: last - first }, (_, i) => ({ index: reference.firstItem + first + i }));
}

/** Returns the outcome of a chunk that is split into at most `parts` (default and maximum: 32) parts of nearly equal size. */
export function splitChunk(reference: Reference, parts = MAX_PARTS): ChunkOutcome {
  const [first, last] = rangeOf(reference);
  const items = last - first;
  const counts = { items, succeeded: 0, dead: 0, cancelled: 0, retried: 0 };
  const ranges = cut(first, last, Math.max(1, Math.min(parts, MAX_PARTS, items)));
  return { ...encodeOutcome({ ending: 'split', counts, parts: ranges }, {}), ...UNRUN };
}

function cut(first: number, last: number, parts: number): NonNullable<OutcomeHeader['parts']> {
  const edge = (part: number): number => first + Math.floor(((last - first) * part) / parts);
  return Array.from({ length: parts }, (_, part) => [edge(part), edge(part + 1) - edge(part)]);
}
