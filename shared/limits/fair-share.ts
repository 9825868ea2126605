/** The share of one process: max-min fair among the holders of leases and the waiting queues. Pure. */
import type { Limit } from '../workload/limit.ts';
import { type Holder, NO_SHARE, type Share, type WaitingQueue } from './quota-row.ts';

/** If the limit is too small for all, a holder that has had its share for this long makes room for a waiting one. */
const TURN_MS = 30_000;
/** Maximum number of processes with a share; `hasRoom` limits it further if their queues have long names. */
const MAX_SERVED = 64;
/** Tolerance for comparisons: an amount that is too small only because of rounding is sufficient. */
const ROUNDING = 1 - 1e-9;

/** A process that has had a share since `heldSince`, or a process or queue that has waited since `since`. */
export interface Claimant {
  wants: Share;
  since: number;
  heldSince: number | undefined;
}

export interface Situation {
  /** The other processes: those with a lease, and those whose lease has expired but whose items may be in flight. */
  leased: readonly Holder[];
  expired: readonly Holder[];
  waiting: readonly WaitingQueue[];
  limit: Limit;
  nowMs: number;
  factor: number;
}

/** Returns the fair share of a process, limited to what the others do not hold. */
export function fairShareOf(me: Claimant, situation: Situation): Share {
  const { leased, expired, limit, factor } = situation;
  const inFlightOf = (holders: readonly Holder[]): number[] => holders.map(({ has }) => has.inFlight);
  const rate = (limit.permitsPerSecond ?? Number.POSITIVE_INFINITY) * factor;
  // Items that a process without a lease may have in flight are not available to others.
  const most = rest(limit.maxInFlight ?? Number.POSITIVE_INFINITY, inFlightOf(expired));
  // Even of a lowered rate, a holder gets enough for one call at a time.
  const leastRate = limit.permitsPerSecond === undefined ? 0 : Math.min(rate, limit.permitsPerCall / limit.perSeconds);
  const served = chooseServed(me, situation, howMany(rate, leastRate, most, limit));
  const place = served.indexOf(me);
  if (place < 0) return NO_SHARE;
  const rates = divide(
    rate,
    served.map(({ wants }) => wants.permitsPerSecond),
  );
  const parts = divide(
    most,
    served.map(({ wants }) => wants.inFlight),
  );
  const fairRate = Math.max(rates[place] ?? 0, leastRate);
  const fairPart = Math.max(parts[place] ?? 0, limit.itemsPerCall);
  const ratesLeased = leased.map(({ has }) => has.permitsPerSecond);
  const permitsPerSecond = Math.min(fairRate, rest(rate, ratesLeased));
  const inFlight = Math.floor(Math.min(fairPart, rest(most, inFlightOf(leased))));
  const isEnough = permitsPerSecond >= leastRate * ROUNDING && inFlight >= limit.itemsPerCall;
  return isEnough ? { permitsPerSecond, inFlight } : NO_SHARE;
}

const rest = (total: number, taken: readonly number[]): number =>
  total === Number.POSITIVE_INFINITY ? total : taken.reduce((left, part) => left - part, total);

const EVERYTHING: Share = { permitsPerSecond: Number.POSITIVE_INFINITY, inFlight: Number.POSITIVE_INFINITY };

/**
 * Returns the claimants that are served: all, or if the limit is too small for all, first those that got their share
 * recently, then those that have waited longest. A waiting queue that another process serves has no claim: that process
 * shrinks to what it uses.
 */
function chooseServed(me: Claimant, { leased, waiting, nowMs }: Situation, most: number): Claimant[] {
  const isServed = ({ queue }: WaitingQueue): boolean => leased.some(({ queues }) => queues.includes(queue));
  const claimants: Claimant[] = [
    me,
    ...leased.map(({ wants, since }) => ({ wants, since, heldSince: since })),
    ...waiting
      .filter((place) => !isServed(place))
      .map(({ since }) => ({ wants: EVERYTHING, since, heldSince: undefined })),
  ];
  if (claimants.length <= most) return claimants;
  const rank = ({ heldSince }: Claimant): number => {
    if (heldSince === undefined) return 1;
    return nowMs - heldSince < TURN_MS ? 0 : 2;
  };
  return claimants.sort((a, b) => rank(a) - rank(b) || a.since - b.since).slice(0, most);
}

/** Returns how many holders the limits suffice for, with one call at a time each, and that fit in the row. */
const howMany = (rate: number, leastRate: number, most: number, { itemsPerCall }: Limit): number => {
  const byRate = leastRate > 0 ? rate / (leastRate * ROUNDING) : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(Math.min(byRate, most / itemsPerCall, MAX_SERVED)));
};

/**
 * Divides max-min fairly: no claimant gets more than it wants, and what one does not need is divided among the others.
 */
export function divide(total: number, wants: readonly number[]): number[] {
  if (total === Number.POSITIVE_INFINITY) return [...wants];
  const parts = wants.map(() => 0);
  // Compared instead of subtracted: the difference of two infinite values is NaN.
  const order = wants.map((_, index) => index).sort((a, b) => ((wants[a] ?? 0) < (wants[b] ?? 0) ? -1 : 1));
  let left = total;
  for (const [done, index] of order.entries()) {
    const part = Math.min(wants[index] ?? 0, left / (order.length - done));
    parts[index] = part;
    left -= part;
  }
  return parts;
}
