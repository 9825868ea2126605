/**
 * One change of the quota row: a process claims its share. Pure.
 *
 * The shares of all living leases never sum to more than the limit: a claim gets at most what the others do not have. So a
 * process that comes later gets its part when the others renew, and shrink to theirs; until then they use it.
 *
 * Who waits is a queue, not a process: its drain is parked, and its next task may run in any process.
 */
import type { Limit } from './limit.ts';
import { type Holder, holdsLease, NO_SHARE, type QuotaRow, type Share, type WaitingQueue } from './quota-row.ts';

/** What a process asks for. */
export interface Claim {
  id: string;
  /** The queues that it serves, or is asked to; none: it gives up its share. */
  queues: readonly string[];
  /** The queues that it has served until now: their next tasks may run in another process, at once. */
  left?: readonly string[];
  wants: Share;
  /** Items that it has in flight: it keeps their part whatever it is given. */
  inFlight: number;
  /** How long the other side has asked to be left alone, in seconds, if it has throttled since the last claim. */
  throttledSeconds?: number | undefined;
  /** How often in a row it has claimed without seeing anybody else; makes its lease longer. */
  quiet: number;
}

/** What became of a claim. Times are service times in milliseconds. */
export interface Claimed {
  row: QuotaRow;
  /** Zeros when there is none; Infinity where there is no limit. */
  share: Share;
  /** When to claim again, with a share or without. */
  renewsAt: number;
  /** The end of the share. */
  until: number;
  /** Whether others have or want a share. */
  isShared: boolean;
}

/** A lease is short while others may want a part, and longer for who is alone: then each renewal only costs. */
const FIRST_LEASE_MS = 5_000;
const LONGEST_LEASE_MS = 10_000;
/** Part of a lease after which it is renewed. */
const RENEW_AT = 0.6;
/** Beside others more often: what one of them gives up lies idle until then. */
const RENEW_SHARED_AT = 0.3;
/** A queue that waits comes back so long after a holder has renewed, which makes room. */
const AFTER_RENEWAL_MS = 500;
/** How long a queue that waits keeps its place after it was to come back: its wake and its task take a moment. */
const PLACE_MS = 5_000;
/** How long a queue whose task has ended keeps its place: the next wave comes at once, or none does. */
const LEFT_PLACE_MS = 2_000;
/** Where there is not enough for all, who has held its share for this long gives way to who waits. */
const TURN_MS = 30_000;
/** Most processes with a share: a column of the row takes about a hundred holders with a few queues each (entity.ts). */
const MOST_SERVED = 64;
/** For comparisons: what is a little too little by rounding is enough. */
const ROUNDING = 1 - 1e-9;

/**
 * Additive increase, multiplicative decrease (Chiu and Jain, 1989; TCP does so by RFC 5681): half the rate when the other
 * side throttles, and a tenth of it more with each `perSeconds` without, at least ten seconds.
 */
const DECREASE = 0.5;
const INCREASE = 0.1;
const LOWEST_FACTOR = 0.05;
const INCREASE_MS = 10_000;
/** The answers of one moment lower the rate once. */
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
  // What is in flight stays counted until it can have ended.
  const has = { ...share, inFlight: Math.max(share.inFlight, inFlight) };
  const holders = isServed || inFlight > 0 ? [...others, { id, queues, wants, has, since, renewsAt, until }] : others;
  const places = [
    ...(isServed ? [] : queues).map((queue) => placeOf(queue, row, { nowMs, until: renewsAt + PLACE_MS })),
    ...left.map((queue) => placeOf(queue, row, { nowMs, until: nowMs + LEFT_PLACE_MS })),
  ];
  return { row: { ...paced, holders, waiting: [...waiting, ...places] }, share, renewsAt, until, isShared };
}

const isUseful = ({ permitsPerSecond, inFlight }: Share): boolean => permitsPerSecond > 0 && inFlight > 0;

/** Whether a holder counts: it has a lease, or items of it may be in flight. */
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

/** When a holder has renewed, there may be room. */
const retryAt = (others: readonly Holder[], nowMs: number): number =>
  others.reduce(
    (earliest, { renewsAt }) => (renewsAt > nowMs ? Math.min(earliest, renewsAt) : earliest),
    nowMs + FIRST_LEASE_MS,
  ) + AFTER_RENEWAL_MS;

/** Raises the factor with time, and lowers it by a throttled claim. */
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
  /** The other processes: those with a lease, and those without one whose items may be in flight. */
  leased: readonly Holder[];
  expired: readonly Holder[];
  waiting: readonly WaitingQueue[];
  limit: Limit;
  nowMs: number;
  factor: number;
}

/** What a process gets: its fair part, as far as the others have left it. */
function shareOf(me: Claimant, situation: Situation): Share {
  const { leased, expired, limit, factor } = situation;
  const inFlightOf = (holders: readonly Holder[]): number[] => holders.map(({ has }) => has.inFlight);
  const rate = (limit.permitsPerSecond ?? Number.POSITIVE_INFINITY) * factor;
  // What a process without a lease may still have in flight is nobody's to divide.
  const most = rest(limit.maxInFlight ?? Number.POSITIVE_INFINITY, inFlightOf(expired));
  // Of a lower rate, too, one call at a time is somebody's.
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

/** Somebody who has a share since `heldSince`, or else waits since `since`. */
interface Claimant {
  wants: Share;
  since: number;
  heldSince: number | undefined;
}
const EVERYTHING: Share = { permitsPerSecond: Number.POSITIVE_INFINITY, inFlight: Number.POSITIVE_INFINITY };

/**
 * Who is served: everybody, or where there is not enough for all, who came into its share lately, then who has waited
 * longest. A queue that waits beside a process which serves it has no claim of its own; the process leaves what it does
 * not use.
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

/** Holders that the limits suffice for, each with enough for one call at a time, and that the row has room for. */
const howMany = (rate: number, leastRate: number, most: number, { itemsPerCall }: Limit): number => {
  const byRate = leastRate > 0 ? rate / (leastRate * ROUNDING) : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(Math.min(byRate, most / itemsPerCall, MOST_SERVED)));
};

/** Max-min fair: nobody gets more than it wants, and what one leaves is divided among the others. */
export function divide(total: number, wants: readonly number[]): number[] {
  if (total === Number.POSITIVE_INFINITY) return [...wants];
  const parts = wants.map(() => 0);
  // By comparison: infinite wants have no difference.
  const order = wants.map((_, index) => index).sort((a, b) => ((wants[a] ?? 0) < (wants[b] ?? 0) ? -1 : 1));
  let left = total;
  for (const [done, index] of order.entries()) {
    const part = Math.min(wants[index] ?? 0, left / (order.length - done));
    parts[index] = part;
    left -= part;
  }
  return parts;
}
