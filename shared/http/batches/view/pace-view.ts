/** How fast a batch is, and when it will be done at that rate. */
import type { BatchState, RevisionTimes } from '../../../batches/batch-row.ts';
import { expectedEndMs, measurePace, type Pace, type Pacing } from '../../../batches/progress/pace.ts';
import { limitOf } from '../../../limits/limit.ts';
import type { Workload } from '../../../workload/define.ts';
import type { BatchView } from '../schemas.ts';

/** What pace and estimate are computed from. */
export interface ShownPacing extends Pacing, Pick<RevisionTimes, 'revision'> {
  state: BatchState;
  /** Whether it waits for a queue that nothing drains. */
  isBlocked?: boolean;
  /** Its workload, whose rate limit stands in for a rate while nothing has ended; undefined: not known. */
  deployed?: Workload | undefined;
}

/**
 * Computes the items per second of the present revision since it was queued, without the time that it was paused, and when
 * the rest will be done at that rate; null and absent while nothing is known.
 */
export function paceOf(pacing: ShownPacing, nowMs: number): Pick<BatchView, 'ratePerSecond' | 'estimate'> {
  const pace = measurePace(pacing, nowMs);
  // What was cancelled has ended as well, at no pace of its own.
  if (pace === undefined || pacing.state === 'cancelled') return { ratePerSecond: null };
  const estimate = goesOn(pacing) ? estimateOf(pacing, pace, nowMs) : undefined;
  return { ratePerSecond: rounded(pace.ended / pace.seconds), ...(estimate && { estimate }) };
}

/**
 * A slow rate keeps two digits: items of a limited workload may take minutes each, and 0 would say that nothing has
 * ended.
 */
const rounded = (rate: number): number => (rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate));

const goesOn = ({ state, isBlocked = false }: ShownPacing): boolean =>
  (state === 'queued' || state === 'running') && !isBlocked;

function estimateOf(pacing: ShownPacing, pace: Pace, nowMs: number): BatchView['estimate'] {
  const { items, deployed } = pacing;
  const { ended, seconds } = pace;
  const known = ended > 0 ? { rate: ended / seconds, basis: basisOf(pacing, pace) } : deployed && limitPace(deployed);
  if (!known) return undefined;
  const endMs = expectedEndMs(pace, { items, nowMs, rate: known.rate });
  return endMs === undefined ? undefined : { completesAt: new Date(endMs).toISOString(), basis: known.basis };
}

function basisOf({ revision, items, running, pausedMs = 0 }: ShownPacing, { ended, seconds }: Pace): string {
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
