import type { BatchState, RevisionTimes } from '../../../batches/batch-row.ts';
import { expectedEndMs, measurePace, type Pace, type Pacing } from '../../../batches/progress/pace.ts';
import type { Workload } from '../../../workload/define.ts';
import { limitOf } from '../../../workload/limit.ts';
import type { BatchView } from '../schemas.ts';

export interface ShownPacing extends Pacing, Pick<RevisionTimes, 'revision'> {
  state: BatchState;
  /** Whether its work cannot continue: then a rate would be that of an earlier time. */
  isBlocked?: boolean;
  /** Its workload, whose rate limit replaces the rate until an item has ended; undefined if it is not known. */
  deployed?: Workload | undefined;
}

/**
 * Computes the items per second of the current revision since it was queued, without the time that it was paused, and its
 * expected end at that rate. While nothing is known, or the batch is blocked, the rate is null and the estimate absent.
 */
export function paceOf(pacing: ShownPacing, nowMs: number): Pick<BatchView, 'ratePerSecond' | 'estimate'> {
  const pace = measurePace(pacing, nowMs);
  // Cancelled items have ended, too, but say nothing about the rate.
  if (pace === undefined || pacing.state === 'cancelled' || pacing.isBlocked) return { ratePerSecond: null };
  const canEnd = pacing.state === 'queued' || pacing.state === 'running';
  const estimate = canEnd ? estimateOf(pacing, pace, nowMs) : undefined;
  return { ratePerSecond: rounded(pace.ended / pace.seconds), estimate };
}

/**
 * Keeps two digits of a slow rate: items of a rate-limited workload may take minutes each, and 0 would mean that no item has
 * ended.
 */
const rounded = (rate: number): number => (rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate));

function estimateOf(pacing: ShownPacing, pace: Pace, nowMs: number): BatchView['estimate'] {
  const { items, deployed } = pacing;
  const { ended, seconds } = pace;
  const known = ended > 0 ? { rate: ended / seconds, basis: basisOf(pacing, pace) } : deployed && limitPace(deployed);
  if (!known) return undefined;
  const endMs = expectedEndMs(pace, { items, nowMs, rate: known.rate });
  return endMs === undefined ? undefined : { completesAt: new Date(endMs).toISOString(), basis: known.basis };
}

function basisOf({ revision, items, running, pausedMs = 0 }: ShownPacing, { ended, seconds }: Pace): string {
  const inRunning = running && running.ended > 0 ? `, ${inWords(running.ended)} of them in running chunks,` : '';
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
