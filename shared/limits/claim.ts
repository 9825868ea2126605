/**
 * Calculates one change of the quota row: a process claims its share. Pure.
 *
 * The shares of all valid leases never sum to more than the limit: a claim gets at most what the other processes do not
 * hold. A process that comes later gets its part when the others renew and shrink to theirs; until then they use it.
 *
 * A queue waits for a share, not a process: the queue's drain is parked, and its next task may run in any process.
 */
import type { Limit } from './limit.ts';
import { type Holder, holdsLease, NO_SHARE, type QuotaRow, type Share, type WaitingQueue } from './quota-row.ts';

/** The claim of a process. */
export interface Claim {
  id: string;
  /** The queues that the process serves, or wants to serve. If empty, the process releases its share. */
  queues: readonly string[];
  /** The queues that the process served until now. Their next tasks may start immediately, in another process. */
  left?: readonly string[];
  wants: Share;
  /** Items that the process has in flight. They stay counted, whatever share it gets. */
  inFlight: number;
  /** How long the other side asked for no calls, in seconds, if it has throttled since the last claim. */
  throttledSeconds?: number | undefined;
  /** Number of consecutive claims without another process in the row. It makes the lease longer. */
  quiet: number;
}

/** The result of a claim. Times are service times in milliseconds. */
export interface Claimed {
  row: QuotaRow;
  /** Zeros if the process gets no share; Infinity for a limit that the workload does not have. */
  share: Share;
  /** When to claim again, with or without a share. */
  renewsAt: number;
  /** The end of the share. */
  until: number;
  /** Whether other processes have a share or queues wait for one. */
  isShared: boolean;
}

/**
 * Leases are short while other processes may need a part. For a process that is alone they are longer, to save
 * renewals.
 */
const FIRST_LEASE_MS = 5_000;
const LONGEST_LEASE_MS = 10_000;
/** Fraction of a lease after which it is renewed. */
const RENEW_AT = 0.6;
/** Beside other processes, renewals are more frequent: what one of them releases is unused until the next renewal. */
const RENEW_SHARED_AT = 0.3;
/** A waiting queue tries again this long after a holder renews, because that may free a part. */
const AFTER_RENEWAL_MS = 500;
/**
 * How long a waiting queue keeps its place after the time at which it should try again: its wake and its task take a
 * moment.
 */
const PLACE_MS = 5_000;
/** How long a queue whose task has finished keeps its place: the next wave starts immediately, or there is none. */
const LEFT_PLACE_MS = 2_000;
/** If the limit is too small for all, a holder that has had its share for this long makes room for a waiting one. */
const TURN_MS = 30_000;
/**
 * Maximum number of processes with a share: a column of the row holds about a hundred holders with a few queues each
 * (entity.ts).
 */
const MOST_SERVED = 64;
/** Tolerance for comparisons: an amount that is too small only because of rounding is sufficient. */
const ROUNDING = 1 - 1e-9;

/**
 * Additive increase, multiplicative decrease (Chiu and Jain, 1989; TCP: RFC 5681). When the other side throttles, the
 * rate is halved. After that, it grows by a tenth of the limit per `perSeconds`, or per ten seconds if that is longer.
 */
const DECREASE = 0.5;
const INCREASE = 0.1;
const LOWEST_FACTOR = 0.05;
const INCREASE_MS = 10_000;
/** Throttling responses within this time lower the rate only once. */
const DECREASE_MS = 5_000;

/** Changes the row by a claim at service time `nowMs`. */
export function claimShare(row: QuotaRow, claim: Claim, { limit, nowMs }: { limit: Limit; nowMs: number }): Claimed {
  const { id, queues, left = [], wants, inFlight, quiet } = claim;
  const paced = pace(row, claim, { limit, nowMs });
  const others = row.holders.filter((holder) => holder.id !== id && isKnown(holder, limit, nowMs));
  const waiting = row.waiting.filter(
    ({ queue, until }) => until > nowMs && !queues.includes(queue) && !left.includes(queue),
  );
  const before = row.holders.find((holder) => holder.id === id && holdsLease(holder, nowMs));
  const since = before?.since ?? nowMs;
  const me = { wants, heldSince: before?.since, since: before?.since ?? waitingSince(row, queues, nowMs) };
  const leased = others.filter((holder) => holdsLease(holder, nowMs));
  const expired = others.filter((holder) => !holdsLease(holder, nowMs));
  const situation = { leased, expired, waiting, limit, nowMs, factor: paced.factor };
  const share = queues.length === 0 ? NO_SHARE : shareOf(me, situation);
  const isServed = isUseful(share);
  const isShared = leased.length + waiting.length > 0;
  const leaseMs = isShared ? FIRST_LEASE_MS : FIRST_LEASE_MS * 2 ** quiet;
  const until = isServed ? nowMs + Math.min(leaseMs, LONGEST_LEASE_MS) : nowMs;
  const renewAt = isShared ? RENEW_SHARED_AT : RENEW_AT;
  const renewsAt = isServed ? nowMs + (until - nowMs) * renewAt : retryAt(others, nowMs);
  // Items in flight stay counted until they must have finished.
  const has = { ...share, inFlight: Math.max(share.inFlight, inFlight) };
  const holders = isServed || inFlight > 0 ? [...others, { id, queues, wants, has, since, renewsAt, until }] : others;
  const places = [
    ...(isServed ? [] : queues).map((queue) => placeOf(queue, row, { nowMs, until: renewsAt + PLACE_MS })),
    ...left.map((queue) => placeOf(queue, row, { nowMs, until: nowMs + LEFT_PLACE_MS })),
  ];
  return { row: { ...paced, holders, waiting: [...waiting, ...places] }, share, renewsAt, until, isShared };
}

const isUseful = ({ permitsPerSecond, inFlight }: Share): boolean => permitsPerSecond > 0 && inFlight > 0;

/** Whether a holder counts: it has a lease, or some of its items may be in flight. */
const isKnown = ({ until, has }: Holder, { timeoutMs }: Limit, nowMs: number): boolean =>
  nowMs < until + (Number.isFinite(has.inFlight) && has.inFlight > 0 ? timeoutMs : 0);

const placeOf = (queue: string, row: QuotaRow, { nowMs, until }: { nowMs: number; until: number }): WaitingQueue => ({
  queue,
  since: waitingSince(row, [queue], nowMs),
  until,
});

const waitingSince = ({ waiting }: QuotaRow, queues: readonly string[], nowMs: number): number =>
  waiting.reduce(
    (first, { queue, since, until }) => (queues.includes(queue) && until > nowMs ? Math.min(first, since) : first),
    nowMs,
  );

/** Returns the earliest time at which a renewal may have freed a part. */
const retryAt = (others: readonly Holder[], nowMs: number): number =>
  others.reduce(
    (earliest, { renewsAt }) => (renewsAt > nowMs ? Math.min(earliest, renewsAt) : earliest),
    nowMs + FIRST_LEASE_MS,
  ) + AFTER_RENEWAL_MS;

/** Raises the factor over time, and lowers it for a claim that reports throttling. */
function pace(row: QuotaRow, { throttledSeconds }: Claim, { limit, nowMs }: { limit: Limit; nowMs: number }): QuotaRow {
  const periodMs = Math.max(INCREASE_MS, limit.perSeconds * 1_000);
  const sinceMs = nowMs - row.changedAt;
  if (throttledSeconds !== undefined) {
    const heldUntil = Math.max(row.heldUntil, nowMs + Math.min(throttledSeconds, limit.perSeconds) * 1_000);
    if (row.factor < 1 && sinceMs < DECREASE_MS) return { ...row, heldUntil };
    const factor = Math.max(LOWEST_FACTOR, row.factor * DECREASE);
    return { ...row, factor, changedAt: nowMs, heldUntil };
  }
  const steps = Math.floor(sinceMs / periodMs);
  if (row.factor >= 1 || steps < 1) return row;
  return { ...row, factor: Math.min(1, row.factor + steps * INCREASE), changedAt: nowMs };
}

interface Situation {
  /** The other processes: those with a lease, and those whose lease has expired but whose items may be in flight. */
  leased: readonly Holder[];
  expired: readonly Holder[];
  waiting: readonly WaitingQueue[];
  limit: Limit;
  nowMs: number;
  factor: number;
}

/** Returns the fair share of a process, limited to what the others do not hold. */
function shareOf(me: Claimant, situation: Situation): Share {
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

/** A process that has had a share since `heldSince`, or a process or queue that has waited since `since`. */
interface Claimant {
  wants: Share;
  since: number;
  heldSince: number | undefined;
}
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

/**
 * Returns the number of holders that the limits suffice for, with enough for one call at a time each, and that fit in
 * the row.
 */
const howMany = (rate: number, leastRate: number, most: number, { itemsPerCall }: Limit): number => {
  const byRate = leastRate > 0 ? rate / (leastRate * ROUNDING) : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(Math.min(byRate, most / itemsPerCall, MOST_SERVED)));
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
