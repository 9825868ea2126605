/**
 * Calculates one change of the quota row: a process claims its share. Pure.
 *
 * The shares of all valid leases never sum to more than the limit: a claim gets at most what the other processes do not
 * hold. A process that comes later gets its part when the others renew and shrink to theirs; until then they use it.
 *
 * A queue waits for a share, not a process: the queue's drain is parked, and its next task may run in any process.
 */

import type { Limit } from '../workload/limit.ts';
import { fairShareOf } from './fair-share.ts';
import { type Holder, holdsLease, NO_SHARE, type QuotaRow, type Share, type WaitingQueue } from './quota-row.ts';

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

export interface Claimed {
  row: QuotaRow;
  /** Zeros if the process gets no share; Infinity for a limit that the workload does not have. */
  share: Share;
  /** When to claim again, with or without a share. */
  renewsAt: number;
  until: number;
  /** Whether other processes have a share or queues wait for one. */
  isShared: boolean;
}

/** Leases are short while other processes may need a part; alone, longer ones save renewals. */
const FIRST_LEASE_MS = 5_000;
const LONGEST_LEASE_MS = 10_000;
/** Fraction of a lease after which it is renewed. */
const RENEW_AT = 0.6;
/** Beside other processes, renewals are more frequent: what one of them releases is unused until the next renewal. */
const RENEW_SHARED_AT = 0.3;
/** A waiting queue tries again this long after a holder renews, because the renewal may free a part of the limit. */
const AFTER_RENEWAL_MS = 500;
/** How long a waiting queue keeps its place after the time of its next try: its wake and task take a moment. */
const PLACE_MS = 5_000;
/** How long a queue whose task has finished keeps its place: the next wave starts immediately, or there is none. */
const LEFT_PLACE_MS = 2_000;
/** Maximum number of waiting queues in the row: with names of 63 characters, its column holds 264 (entity.ts). */
const MAX_WAITING = 200;

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
  const share = queues.length === 0 ? NO_SHARE : fairShareOf(me, situation);
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
  return { row: { ...paced, holders, waiting: longestOf([...waiting, ...places]) }, share, renewsAt, until, isShared };
}

const isUseful = ({ permitsPerSecond, inFlight }: Share): boolean => permitsPerSecond > 0 && inFlight > 0;

/** Whether a holder counts: it has a lease, or some of its items may be in flight. */
const isKnown = ({ until, has }: Holder, { timeoutMs }: Limit, nowMs: number): boolean =>
  nowMs < until + (Number.isFinite(has.inFlight) && has.inFlight > 0 ? timeoutMs : 0);

/** Returns the places of the queues that have waited longest. The others wait without a place. */
const longestOf = (waiting: readonly WaitingQueue[]): readonly WaitingQueue[] =>
  waiting.length <= MAX_WAITING ? waiting : waiting.toSorted((a, b) => a.since - b.since).slice(0, MAX_WAITING);

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
