import type { Limit } from '../workload/limit.ts';
import {
  addPermits,
  clearPermits,
  createPermits,
  inFlightOf,
  type Permits,
  readTaken,
  readThrottled,
  setShare,
} from './permits.ts';
import { NO_SHARE, type Share } from './quota-row.ts';

/** Interval at which permits are added. */
export const TICK_MS = 20;
/** Two ticks: permits of the latest tick are not lost while a call takes its permits. */
const SPARE_SECONDS = (2 * TICK_MS) / 1_000;
/**
 * Permits for this time, or for this fraction of a period, may stay unused, so that a thread that was briefly busy
 * loses none. A late tick also adds no more than this. All of them could be used at the same time: together with the
 * fraction of the rate that is used (limit.ts), a period of six seconds or more does not exceed its limit.
 */
const UNUSED_SECONDS = 0.15;
const UNUSED_PART = 0.03;
const LATE_SECONDS = 0.1;
/** A process that uses less than this fraction of its share requests what it has used, and a little more. */
const FULL_USE = 0.8;
const MORE_THAN_USED = 1.25;
/** Use is judged after permits for this many calls and one second: before, unused ones may just be waiting. */
const JUDGED_CALLS = 6;

/** Turns the share of one process into permits: adds them evenly over time, and none after the end of the share. */
export class Pacer {
  readonly permits: Permits;
  readonly #limit: Limit;
  readonly #clockMs: () => number;
  #share = NO_SHARE;
  /** By the process-wide clock: the end of the share, the end of a pause, and the latest tick. */
  #endMs = 0;
  #heldMs = 0;
  #tickedMs = 0;
  /** The fraction of a permit that has been earned since the last whole one. */
  #fraction = 0;
  /** Permits earned and permits taken since use was last judged, and the rate that was requested then. */
  #earned = 0;
  #taken = 0;
  #wantedRate = Number.POSITIVE_INFINITY;

  /** `clockMs` is the same for all threads of the process. */
  constructor(limit: Limit, clockMs: () => number) {
    this.#limit = limit;
    this.#clockMs = clockMs;
    this.permits = createPermits(limit.unit === 'items');
  }

  /** Whether nothing can start: there is no share, or it has ended. */
  get isStarved(): boolean {
    return this.#share.inFlight === 0 || this.#clockMs() >= this.#endMs;
  }

  get inFlight(): number {
    return inFlightOf(this.permits);
  }

  /** Starts to count time: the time before adds no permits. */
  start(): void {
    this.#tickedMs = this.#clockMs();
  }

  /** Adds permits for the time since the latest tick. Returns the seconds of a pause that the other side asked for. */
  tick(): number | undefined {
    const nowMs = this.#clockMs();
    const passedMs = nowMs - this.#tickedMs;
    this.#tickedMs = nowMs;
    const throttledSeconds = readThrottled(this.permits);
    if (throttledSeconds !== undefined) {
      clearPermits(this.permits);
      this.holdUntil(nowMs + Math.min(throttledSeconds, this.#limit.perSeconds) * 1_000);
    }
    if (nowMs >= this.#endMs && this.#share.inFlight > 0) this.setShare(NO_SHARE, 0);
    else if (nowMs >= this.#heldMs) this.#add(passedMs / 1_000);
    return throttledSeconds;
  }

  /** Adds no permits before `untilMs`. */
  holdUntil(untilMs: number): void {
    this.#heldMs = Math.max(this.#heldMs, untilMs);
  }

  /** Sets the share, of which nothing starts after `endMs`. */
  setShare(share: Share, endMs: number): void {
    this.#share = share;
    this.#endMs = endMs;
    if (share.inFlight === 0) clearPermits(this.permits);
    setShare(this.permits, {
      inFlight: share.inFlight,
      hasRate: Number.isFinite(share.permitsPerSecond),
      untilMs: endMs,
    });
  }

  shrinkTo(share: Share): void {
    if (this.isStarved) return;
    const { permitsPerSecond, inFlight } = this.#share;
    const smaller = {
      permitsPerSecond: Math.min(permitsPerSecond, share.permitsPerSecond),
      inFlight: Math.min(inFlight, share.inFlight),
    };
    this.setShare(smaller, this.#endMs);
  }

  /** Returns the rate to request: unlimited, unless other processes were present and the previous rate was not used. */
  wantedRate(isShared: boolean): number {
    const had = this.#share.permitsPerSecond;
    this.#taken += readTaken(this.permits);
    const isAlone = !isShared || had === 0;
    const usesAll = isAlone || (this.#taken > 0 && this.#taken >= this.#earned * FULL_USE);
    const isJudged = this.#earned >= Math.max(had, JUDGED_CALLS * this.#limit.permitsPerCall);
    if (!usesAll && !isJudged) return this.#wantedRate;
    this.#wantedRate = usesAll ? Number.POSITIVE_INFINITY : (this.#taken / this.#earned) * had * MORE_THAN_USED;
    this.#taken = 0;
    this.#earned = 0;
    return this.#wantedRate;
  }

  #add(seconds: number): void {
    const { permitsPerSecond } = this.#share;
    if (!Number.isFinite(permitsPerSecond)) return;
    const unusedSeconds = Math.min(UNUSED_SECONDS, UNUSED_PART * this.#limit.perSeconds);
    const spare = Math.max(1, permitsPerSecond * unusedSeconds, Math.ceil(permitsPerSecond * SPARE_SECONDS));
    const most = this.#limit.permitsPerCall - 1 + Math.floor(spare);
    // A late tick adds the missing permits, but not those of a time in which the process was suspended.
    const earned = permitsPerSecond * Math.min(seconds, LATE_SECONDS);
    this.#earned += earned;
    const whole = Math.floor(this.#fraction + earned);
    this.#fraction += earned - whole;
    if (whole > 0) addPermits(this.permits, whole, most);
  }
}
