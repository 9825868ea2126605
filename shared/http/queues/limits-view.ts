import type { GateRow } from '../../gate/gate-row.ts';
import { type Claim, claimShare } from '../../limits/claim.ts';
import { holdsLease, newQuota, type QuotaRow } from '../../limits/quota-row.ts';
import { limitOf } from '../../workload/limit.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { LimitsView } from './schemas.ts';

export interface KnownLimits {
  gate: GateRow;
  /** undefined: no process has claimed a share yet. */
  quota: QuotaRow | undefined;
  /** Service time in milliseconds. */
  nowMs: number;
}

/** A claim without effect except for the passage of time: leases end, places are dropped, and the rate rises. */
const NO_CLAIM: Claim = { id: '', queues: [], wants: { permitsPerSecond: 0, inFlight: 0 }, inFlight: 0, quiet: 0 };

/** Whether the tasks of a queue need a share of the limits of its workload. */
export const isLimited = ({ kind, workload }: QueueAddress): boolean =>
  kind === 'items' && limitOf(workload) !== undefined;

/** The limits of a queue in the format of the API; null if it has none. */
export function limitsView(address: QueueAddress, { gate, quota, nowMs }: KnownLimits): LimitsView | null {
  const { workload, queue } = address;
  const limit = limitOf(workload);
  if (limit === undefined || !isLimited(address)) return null;
  const stored = quota ?? newQuota(workload.name);
  const { row } = claimShare(stored, NO_CLAIM, { limit, nowMs });
  const { rateLimit, maxConcurrency } = workload;
  const holders = row.holders.filter((holder) => holdsLease(holder, nowMs));
  // Processes with a share raise the factor when they renew it. Without any such process, it rises with time.
  const { factor } = holders.length > 0 ? stored : row;
  const place = row.waiting.find((each) => each.queue === queue);
  // A task without a share keeps its place while others have one, and so does a queue between two waves.
  const isWaiting = isParked(gate) && !holders.some(({ queues }) => queues.includes(queue));
  return {
    rateLimit: rateLimit ?? null,
    maxConcurrency: maxConcurrency ?? null,
    lowered: rateLimit && factor < 1 ? { factor, since: isoOf(stored.changedAt) } : null,
    heldUntil: rateLimit && row.heldUntil > nowMs ? isoOf(row.heldUntil) : null,
    holders: holders.length,
    waiting: place && isWaiting ? { since: isoOf(place.since), until: gate.parkedUntil } : null,
  };
}

/** Whether the queue waits for a scheduled wake. */
export const isParked = ({ status, parkedUntil }: GateRow): boolean => status === 'idle' && parkedUntil !== '';

const isoOf = (ms: number): string => new Date(ms).toISOString();
