/** How fast a batch is, and when it will be done at that rate. */
import type { BatchPause, BatchState, RevisionTimes } from '../../batches/batch-row.ts';
import { limitOf } from '../../limits/limit.ts';
import type { Workload } from '../../workload/define.ts';
import type { BatchView } from './schemas.ts';

/** What pace and estimate are computed from: the present revision, and what is known beside it. */
export interface Pacing extends Pick<RevisionTimes, 'revision' | 'items' | 'queuedAt' | 'completedAt' | 'pausedMs'> {
  state: BatchState;
  pending: number;
  paused?: BatchPause | undefined;
  /** Pending items that had ended in chunks that run, at service time `at`; undefined: not known. */
  running?: { ended: number; at: string } | undefined;
  /** Whether it waits for a queue that nothing drains. */
  isBlocked?: boolean;
  /** Its workload, whose rate limit stands in for a rate while nothing has ended; undefined: not known. */
  deployed?: Workload | undefined;
}

/** The longest time that is estimated: a batch that would take longer stands still. */
const MAX_LEFT_MS = 366 * 24 * 60 * 60 * 1_000;

/**
 * Computes the items per second of the present revision since it was queued, without the time that it was paused, and when
 * the rest will be done at that rate; null and absent while nothing is known. Not since `startedAt`: that is when the first
 * chunks had ended, and where chunks run for minutes, their items would count and their time would not.
 */
export function paceOf(pacing: Pacing, nowMs: number): Pick<BatchView, 'ratePerSecond' | 'estimate'> {
  const { items, pending, running, queuedAt, pausedMs = 0 } = pacing;
  if (queuedAt === undefined) return { ratePerSecond: null };
  const startMs = Date.parse(queuedAt) + pausedMs;
  const countedMs = countedAt(pacing, startMs) ?? nowMs;
  const seconds = Math.max(0.001, (countedMs - startMs) / 1_000);
  const ended = items - pending + (running?.ended ?? 0);
  const estimate = goesOn(pacing) ? estimateOf(pacing, { ended, seconds, countedMs, nowMs }) : undefined;
  return { ratePerSecond: rounded(ended / seconds), ...(estimate && { estimate }) };
}

/** A slow rate keeps two digits: items of a limited workload may take minutes each, and 0 would say that nothing has ended. */
const rounded = (rate: number): number => (rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate));

/** When the count ended; between two counts of running chunks a rate over the time until now would fall, and then jump. */
function countedAt({ completedAt, paused, running }: Pacing, startMs: number): number | undefined {
  const end = completedAt ?? paused?.at;
  if (end !== undefined) return Date.parse(end);
  const ms = running && running.ended > 0 ? Date.parse(running.at) : undefined;
  return ms !== undefined && ms > startMs ? ms : undefined;
}

const goesOn = ({ state, isBlocked = false }: Pacing): boolean =>
  (state === 'queued' || state === 'running') && !isBlocked;

interface Measured {
  ended: number;
  seconds: number;
  countedMs: number;
  nowMs: number;
}

function estimateOf(pacing: Pacing, measured: Measured): BatchView['estimate'] {
  const { items, deployed } = pacing;
  const { ended, seconds, countedMs, nowMs } = measured;
  const pace =
    ended > 0 ? { rate: ended / seconds, basis: basisOf(pacing, measured) } : deployed && limitPace(deployed);
  if (!pace) return undefined;
  const leftMs = ((items - ended) / pace.rate) * 1_000;
  if (leftMs > MAX_LEFT_MS) return undefined;
  return { completesAt: new Date(Math.max(nowMs, countedMs + leftMs)).toISOString(), basis: pace.basis };
}

function basisOf({ revision, items, running, pausedMs = 0 }: Pacing, { ended, seconds }: Measured): string {
  const inRunning = running && running.ended > 0 ? `, ${inWords(running.ended)} of them in chunks that run,` : '';
  const time = `in the first ${inWords(seconds)} s after the ${revision === 0 ? 'batch' : 'redrive'} was queued`;
  const pauses = pausedMs > 0 ? ', without the time that it was paused' : '';
  return `${inWords(ended)} of ${inWords(items)} items have ended${inRunning} ${time}${pauses}`;
}

function limitPace(workload: Workload): { rate: number; basis: string } | undefined {
  const { rateLimit } = workload;
  const limit = limitOf(workload);
  if (rateLimit === undefined || limit === undefined) return undefined;
  const permits =
    'items' in rateLimit
      ? `${inWords(rateLimit.items)} items`
      : `${inWords(rateLimit.calls)} calls, each of at most ${inWords(limit.itemsPerCall)} items,`;
  return {
    rate: limit.itemsPerSecond,
    basis: `no item has ended yet; at the rate limit of ${permits} per ${inWords(rateLimit.perSeconds)} s, for this batch alone`,
  };
}

const inWords = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
