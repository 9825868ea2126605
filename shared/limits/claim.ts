/**
 * One change of the quota row: a process claims its share. Pure.
 *
 * The shares of all living leases never sum to more than the limit: a claim gets at most what the others do not have. So a
 * process that comes later gets its part when the others renew, and shrink to theirs; until then they use it.
 */
import type { Limit } from './limit.ts';
import type { Holder, QuotaRow, Share } from './quota-row.ts';

/** What a process asks for. */
export interface Claim {
  id: string;
  wants: Share;
  /** Items that it has in flight: it keeps their part whatever it is given. */
  inFlight: number;
  /** How long the other side has asked to be left alone, in seconds, if it has throttled since the last claim. */
  throttledSeconds?: number | undefined;
  /** How often in a row it has claimed without seeing another holder; makes its lease longer. */
  quiet: number;
  /** Whether it gives up its share and its place: it has no work. */
  leaves?: boolean;
}

/** What became of a claim. */
export interface Claimed {
  row: QuotaRow;
  /** Zeros when there is none; Infinity where there is no limit. */
  share: Share;
  /** The share ends then; where there is none, the claim is worth repeating then. Service time in milliseconds. */
  until: number;
  /** Whether others hold or want a share. */
  isShared: boolean;
}

/**
 * A lease is short while others may want a part, and longer for who is alone: then each renewal only costs. Many holders
 * together renew about three times a second.
 */
const FIRST_LEASE_MS = 5_000;
const PER_RIVAL_MS = 1_000;
const LONGEST_LEASE_MS = 20_000;
/** How long a process that waits keeps its place beyond the time at which it is to claim again. */
const PLACE_MS = 15_000;
/** Where there is not enough for all, who has held its share for this long gives way to who waits. */
const TURN_MS = 30_000;
/** A share of less than this part of a call at a time (`perSeconds`) is of no use; below 1 by rounding only. */
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
  const paced = pace(row, claim, { limit, nowMs });
  const others = row.holders.filter((holder) => holder.id !== claim.id && isKnown(holder, limit, nowMs));
  if (claim.leaves === true && claim.inFlight === 0) {
    return { row: { ...paced, holders: others }, share: NOTHING, until: nowMs, isShared: others.length > 0 };
  }
  const wants = claim.leaves === true ? NOTHING : claim.wants;
  const before = row.holders.find(({ id }) => id === claim.id);
  const me: Holder = {
    ...{ id: claim.id, wants, until: nowMs },
    ...(before && before.until + PLACE_MS > nowMs
      ? { has: before.has, since: before.since }
      : { has: NOTHING, since: nowMs }),
  };
  const share = shareOf(me, others, { limit, nowMs, factor: paced.factor });
  const isServed = isUseful(share);
  const rivals = others.filter(({ until }) => until + PLACE_MS > nowMs);
  const leaseMs = rivals.length > 0 ? FIRST_LEASE_MS + rivals.length * PER_RIVAL_MS : FIRST_LEASE_MS * 2 ** claim.quiet;
  const until = isServed ? nowMs + Math.min(leaseMs, LONGEST_LEASE_MS) : retryAt(others, nowMs);
  const holder: Holder = {
    ...me,
    // What is in flight stays counted until it can have ended.
    has: { ...share, inFlight: Math.max(share.inFlight, claim.inFlight) },
    since: isServed === isUseful(me.has) ? me.since : nowMs,
    until,
  };
  return { row: { ...paced, holders: [...others, holder] }, share, until, isShared: rivals.length > 0 };
}

const NOTHING: Share = { permitsPerSecond: 0, inFlight: 0 };

const isUseful = ({ permitsPerSecond, inFlight }: Share): boolean => permitsPerSecond > 0 && inFlight > 0;

/** Whether a holder counts: it has a lease or a place, or items of it may be in flight. */
const isKnown = ({ until, has }: Holder, { timeoutMs }: Limit, nowMs: number): boolean =>
  nowMs < until + (Number.isFinite(has.inFlight) && has.inFlight > 0 ? Math.max(timeoutMs, PLACE_MS) : PLACE_MS);

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
  limit: Limit;
  nowMs: number;
  factor: number;
}

/** What `me` gets: its fair part, as far as the others have left it. */
function shareOf(me: Holder, others: readonly Holder[], { limit, nowMs, factor }: Situation): Share {
  const rate = limit.permitsPerSecond === undefined ? Number.POSITIVE_INFINITY : limit.permitsPerSecond * factor;
  const most = limit.maxInFlight ?? Number.POSITIVE_INFINITY;
  // Of a lower rate, too, one call at a time is somebody's.
  const leastRate = limit.permitsPerSecond === undefined ? 0 : Math.min(rate, limit.permitsPerCall / limit.perSeconds);
  const served = chooseServed([me, ...others], { nowMs, most: howMany(rate, leastRate, most, limit) });
  if (!served.includes(me)) return NOTHING;
  const wanted = (pick: (share: Share) => number): number[] => served.map(({ wants }) => pick(wants));
  const place = served.indexOf(me);
  const fairRate =
    divide(
      rate,
      wanted((share) => share.permitsPerSecond),
    )[place] ?? 0;
  const fairInFlight =
    divide(
      most,
      wanted((share) => share.inFlight),
    )[place] ?? 0;
  const sum = (holders: readonly Holder[], pick: (share: Share) => number): number =>
    holders.reduce((total, { has }) => total + pick(has), 0);
  const leased = others.filter(({ until }) => until > nowMs);
  const freeRate = rate === Number.POSITIVE_INFINITY ? rate : rate - sum(leased, (share) => share.permitsPerSecond);
  const freeInFlight = most === Number.POSITIVE_INFINITY ? most : most - sum(others, (share) => share.inFlight);
  const share = {
    permitsPerSecond: Math.min(Math.max(fairRate, leastRate), freeRate),
    inFlight: Math.floor(Math.min(Math.max(fairInFlight, limit.itemsPerCall), freeInFlight)),
  };
  const isEnough = share.permitsPerSecond >= leastRate * ROUNDING && share.inFlight >= limit.itemsPerCall;
  return isEnough ? share : NOTHING;
}

/** Holders that the limits suffice for: each needs enough for one call at a time. */
const howMany = (rate: number, leastRate: number, most: number, { itemsPerCall }: Limit): number =>
  Math.max(1, Math.floor(Math.min(leastRate > 0 ? rate / (leastRate * ROUNDING) : most, most / itemsPerCall)));

/** Who is served where there is not enough for all: who came into its share lately, then who has waited longest. */
function chooseServed(holders: readonly Holder[], { nowMs, most }: { nowMs: number; most: number }): Holder[] {
  const claimants = holders.filter(({ until, wants }) => until + PLACE_MS > nowMs && isUseful(wants));
  if (claimants.length <= most) return claimants;
  const rank = ({ has, since }: Holder): number => {
    if (!isUseful(has)) return 1;
    return nowMs - since < TURN_MS ? 0 : 2;
  };
  return claimants.sort((a, b) => rank(a) - rank(b) || a.since - b.since || (a.id < b.id ? -1 : 1)).slice(0, most);
}

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

/** A waiting process comes back when the first lease has been renewed or has ended. */
const retryAt = (others: readonly Holder[], nowMs: number): number =>
  others.reduce(
    (earliest, { until, has }) => (isUseful(has) && until > nowMs ? Math.min(earliest, until) : earliest),
    nowMs + FIRST_LEASE_MS,
  );
