import type { Workload } from '../workload/define.ts';

/** The limits of a workload, as the pipeline reckons with them. */
export interface Limit {
  /** Permits per second; undefined: the rate is not limited. */
  permitsPerSecond: number | undefined;
  /** Most items that may begin per second; Infinity: the rate is not limited. */
  itemsPerSecond: number;
  /** What takes a permit: each item, or each call of the handler. */
  unit: 'items' | 'calls';
  /** The time that the rate is stated for. */
  perSeconds: number;
  /** Permits that the largest call takes. */
  permitsPerCall: number;
  /** Items in flight; undefined: not limited. */
  maxInFlight: number | undefined;
  /** Items of the largest call. */
  itemsPerCall: number;
  /** How long a call may take. */
  timeoutMs: number;
}

/**
 * Part of the rate that is used. Calls are counted when they start here, and arrive at the other side a little closer
 * together or further apart; the rest keeps a provider that counts strictly from refusing one.
 */
const USED_PART = 0.96;

/** The limits of a workload; undefined when it has none. */
export function limitOf(workload: Workload): Limit | undefined {
  const { rateLimit, maxConcurrency, group, map, timeoutSeconds } = workload;
  if (rateLimit === undefined && maxConcurrency === undefined) return undefined;
  const itemsPerCall = map === undefined ? group.maxItems : 1;
  const unit = rateLimit !== undefined && 'items' in rateLimit ? 'items' : 'calls';
  const permitsPerSecond = rateLimit && (USED_PART * permitsOf(rateLimit)) / rateLimit.perSeconds;
  return {
    permitsPerSecond,
    itemsPerSecond: (permitsPerSecond ?? Number.POSITIVE_INFINITY) * (unit === 'items' ? 1 : itemsPerCall),
    unit,
    perSeconds: rateLimit?.perSeconds ?? 1,
    permitsPerCall: unit === 'items' ? itemsPerCall : 1,
    maxInFlight: maxConcurrency,
    itemsPerCall,
    timeoutMs: timeoutSeconds * 1_000,
  };
}

const permitsOf = (rate: NonNullable<Workload['rateLimit']>): number => ('items' in rate ? rate.items : rate.calls);
