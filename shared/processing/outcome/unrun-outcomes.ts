/** Outcomes of whole chunks that are created without running a handler. */

import { causeOf, countCause } from '../../contract/cause.ts';
import type { DeadReason, OutcomeHeader } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import { rangeOf, readSources, type Source } from '../sources.ts';
import type { ChunkOutcome } from './encode/encode-outcome.ts';
import { encodeOutcome } from './encode/encode-outcome.ts';
import { type Death, deadLine } from './encode/lines.ts';
import { attemptError, type ErrorText, toErrorText } from './error-text.ts';

/** Maximum number of parts of a split: one receive of a storage queue. */
const MAX_PARTS = 32;

/** The values that all outcomes without a handler run have in common. */
const UNRUN = { failures: 0, failure: '', ran: 0, causes: {} };

/** The end of a whole chunk. `version` is the workload's version in the dead letters. */
export interface UnrunChunk {
  reference: Reference;
  ending: 'cancelled' | 'payloadMissing' | 'digest' | 'killed';
  error: unknown;
  nowMs: number;
  version: number;
  /** The stored frame, if there is one: dead letters then contain their items and, for kind `retries`, the right index. */
  frame?: Uint8Array;
}

/**
 * Returns the outcome of a chunk that ends as a whole. `cancelled` only counts; otherwise, every item is a dead letter.
 * Without a readable frame, items are absent, and an item of kind `retries`, whose index is stored only in its line, gets
 * firstItem + its line.
 */
export function unrunOutcome(end: UnrunChunk): ChunkOutcome {
  const [first, last] = rangeOf(end.reference);
  const none = { items: last - first, succeeded: 0, dead: 0, cancelled: 0, retried: 0 };
  if (end.ending === 'cancelled') {
    const counts = { ...none, cancelled: none.items };
    return { ...encodeOutcome({ ending: 'cancelled', counts }, {}), ...UNRUN };
  }
  const error = toErrorText(end.error);
  const dead = deadSources(end).map((source) =>
    deadLine(source, deathOf(end, end.ending as DeadReason, error, source)),
  );
  const causes = new Map<string, number>();
  if (dead.length > 0) countCause(causes, causeOf(end.ending, error), dead.length);
  const encoded = encodeOutcome({ ending: end.ending, counts: { ...none, dead: dead.length } }, { dead });
  return { ...encoded, ...UNRUN, causes: Object.fromEntries(causes) };
}

type Known = Source | Pick<Source, 'index'>;

function deadSources({ reference, ending, frame }: UnrunChunk): Known[] {
  const [first, last] = rangeOf(reference);
  const unread = (): Known[] =>
    Array.from({ length: last - first }, (_, i) => ({ index: reference.firstItem + first + i }));
  if (frame === undefined || ending === 'payloadMissing') return unread();
  try {
    return [...readSources(reference, frame)];
  } catch {
    return unread();
  }
}

function deathOf(end: UnrunChunk, reason: DeadReason, error: ErrorText, source: Known): Death {
  const before = 'attempts' in source ? source.attempts : [];
  const last = { at: new Date(end.nowMs).toISOString(), error: attemptError(error) };
  return { reason, error, attempts: reason === 'killed' ? [...before, last] : before, version: end.version };
}

/** Returns the outcome of a chunk that is split into at most `parts` (≤ 32) parts of nearly equal size. */
export function splitChunk(reference: Reference, parts: number): ChunkOutcome {
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
