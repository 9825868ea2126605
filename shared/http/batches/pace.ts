/** How fast a batch is, and when it will be done at that rate. */
import type { BatchState, RevisionTimes } from '../../batches/batch-row.ts';
import type { BatchView } from './schemas.ts';

/** What pace and estimate are computed from: the present revision, and what is known beside it. */
export interface Pacing extends Pick<RevisionTimes, 'revision' | 'items' | 'queuedAt' | 'completedAt'> {
  state: BatchState;
  pending: number;
  /** Pending items that have ended in chunks that run; default 0. */
  running?: number | undefined;
  /** Whether it waits for a queue that nothing drains. */
  isBlocked?: boolean;
}

/** The longest time that is estimated: a batch that would take longer stands still. */
const MAX_LEFT_MS = 366 * 24 * 60 * 60 * 1_000;

/**
 * Computes the items per second of the present revision since it was queued, and when the rest will be done at that rate;
 * null and absent while nothing is known. Not since `startedAt`: that is when the first chunks had ended, and where chunks
 * run for minutes, their items would count and their time would not.
 */
export function paceOf(pacing: Pacing, nowMs: number): Pick<BatchView, 'ratePerSecond' | 'estimate'> {
  const { items, pending, running = 0, queuedAt, completedAt } = pacing;
  if (queuedAt === undefined) return { ratePerSecond: null };
  const endMs = completedAt === undefined ? nowMs : Date.parse(completedAt);
  const seconds = Math.max(0.001, (endMs - Date.parse(queuedAt)) / 1_000);
  const ended = items - pending + running;
  const rate = ended / seconds;
  const estimate = estimateOf(pacing, { nowMs, seconds, ended, leftMs: ((items - ended) / rate) * 1_000 });
  return { ratePerSecond: Math.round(rate), ...(estimate === undefined ? {} : { estimate }) };
}

function estimateOf(
  { state, revision, items, running = 0, isBlocked = false }: Pacing,
  { nowMs, seconds, ended, leftMs }: { nowMs: number; seconds: number; ended: number; leftMs: number },
): BatchView['estimate'] {
  const goesOn = (state === 'queued' || state === 'running') && !isBlocked;
  // A rate of zero gives no number, or none that is finite.
  if (!goesOn || !(leftMs <= MAX_LEFT_MS)) return undefined;
  const inRunning = running > 0 ? `, ${inWords(running)} of them in chunks that run,` : '';
  const since = `since the ${revision === 0 ? 'batch' : 'redrive'} was queued`;
  return {
    completesAt: new Date(nowMs + leftMs).toISOString(),
    basis: `${inWords(ended)} of ${inWords(items)} items have ended${inRunning} in the ${inWords(seconds)} s ${since}`,
  };
}

const inWords = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
