import type { BatchPause, RevisionTimes } from '../batch-row.ts';

export interface Pacing extends Pick<RevisionTimes, 'items' | 'queuedAt' | 'completedAt' | 'pausedMs'> {
  pending: number;
  paused?: BatchPause | undefined;
  /** Pending items that had ended in running chunks, at service time `at`; undefined if not known. */
  running?: { ended: number; at: string } | undefined;
}

/** How many items have ended in how much time, without the time of pauses. */
export interface Pace {
  ended: number;
  /** At least 0.001. */
  seconds: number;
  /** When the count ended, in milliseconds of service time. */
  countedMs: number;
}

/** The longest time that is estimated: a batch that would take longer makes no progress. */
const MAX_LEFT_MS = 366 * 24 * 60 * 60 * 1_000;

/**
 * Measures the pace of a revision since it was queued; undefined before that. It does not start at `startedAt`, which
 * is when the first chunks had ended: if chunks run for minutes, their items would count but not their time.
 */
export function measurePace(pacing: Pacing, nowMs: number): Pace | undefined {
  const { items, pending, running, queuedAt, pausedMs = 0 } = pacing;
  if (queuedAt === undefined) return undefined;
  const startMs = Date.parse(queuedAt) + pausedMs;
  const countedMs = countedAt(pacing, startMs) ?? nowMs;
  const seconds = Math.max(0.001, (countedMs - startMs) / 1_000);
  return { ended: items - pending + (running?.ended ?? 0), seconds, countedMs };
}

/** Returns when the count ended: a rate until now would fall between two counts, and then jump. */
function countedAt({ completedAt, paused, running }: Pacing, startMs: number): number | undefined {
  const end = completedAt ?? paused?.at;
  if (end !== undefined) return Date.parse(end);
  const ms = running && running.ended > 0 ? Date.parse(running.at) : undefined;
  return ms !== undefined && ms > startMs ? ms : undefined;
}

/**
 * Computes when all `items` will have ended at `rate` (items per second; default that of the pace), in milliseconds of
 * service time, and not before `nowMs`; undefined if the rate is 0 or the rest would take more than a year.
 */
export function expectedEndMs(
  { ended, seconds, countedMs }: Pace,
  { items, nowMs, rate = ended / seconds }: { items: number; nowMs: number; rate?: number },
): number | undefined {
  const leftMs = ((items - ended) / rate) * 1_000;
  return leftMs <= MAX_LEFT_MS ? Math.max(nowMs, countedMs + leftMs) : undefined;
}
