import type { Workload } from './define.ts';

/** The limits of a workload in the units that the pipeline calculates with. */
export interface Limit {
  /** Permits per second. If undefined, the rate is not limited. */
  permitsPerSecond: number | undefined;
  /** Maximum number of items that may start per second. Infinity means that the rate is not limited. */
  itemsPerSecond: number;
  /** Whether each item or each call of the handler takes a permit. */
  unit: 'items' | 'calls';
  /** The `perSeconds` of the workload's `rateLimit`; 1 if it has none. */
  perSeconds: number;
  /** Permits that a call of maximum size takes. */
  permitsPerCall: number;
  /** Maximum number of items in flight. If undefined, it is not limited. */
  maxInFlight: number | undefined;
  itemsPerCall: number;
  timeoutMs: number;
}

/**
 * Fraction of the rate that is used. Calls are counted when they start here, and arrive at the other side slightly
 * closer together or further apart. The rest prevents refusals by a provider that counts strictly.
 */
const USED_PART = 0.96;

/** Returns the limits of a workload, or undefined if it has none. */
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
