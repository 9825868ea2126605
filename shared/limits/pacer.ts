import type { Limit } from './limit.ts';
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

/** How often permits are to be added. */
export const TICK_MS = 20;
/** Two ticks: what the latest has brought is not lost while the call takes its permits. */
const SPARE_SECONDS = (2 * TICK_MS) / 1_000;
/**
 * Permits of this long, or of this part of a period, may lie unused, so that a thread which was busy for a moment loses
 * none; and a tick that is late brings no more than this. All would be used at once: together with the part of the rate
 * that is used, a period of six seconds or more sees no more than its limit.
 */
const UNUSED_SECONDS = 0.15;
const UNUSED_PART = 0.03;
const LATE_SECONDS = 0.1;
/** A process that uses less than this part of its share asks for what it has used, and a little more. */
const FULL_USE = 0.8;
const MORE_THAN_USED = 1.25;
/** Little use shows when a share has brought permits for so many calls, and for a second: less may wait for the next call. */
const JUDGED_CALLS = 6;

/** The share of one process as permits: added evenly over time, and none after its end. */
export class Pacer {
  readonly permits: Permits;
  readonly #limit: Limit;
  readonly #clockMs: () => number;
  #share = NO_SHARE;
  /** Times of the process-wide clock: the end of the share, until when permits are held back, and the latest tick. */
  #endMs = 0;
  #heldMs = 0;
  #tickedMs = 0;
  /** Permits that are not whole yet. */
  #fraction = 0;
  /** Permits that the share has brought, and those that were taken, since its use was judged; what was asked for then. */
  #earned = 0;
  #taken = 0;
  #wantedRate = Number.POSITIVE_INFINITY;

  /** `clockMs` is one for all threads of the process. */
  constructor(limit: Limit, clockMs: () => number) {
    this.#limit = limit;
    this.#clockMs = clockMs;
    this.permits = createPermits(limit.unit === 'items');
  }

  /** Whether nothing can be started: there is no share, or it has ended. */
  get isStarved(): boolean {
    return this.#share.inFlight === 0 || this.#clockMs() >= this.#endMs;
  }

  /** Items in flight in this process. */
  get inFlight(): number {
    return inFlightOf(this.permits);
  }

  /** Time begins: what passed before brings no permits. */
  start(): void {
    this.#tickedMs = this.#clockMs();
  }

  /** Adds what the time since the latest tick brings. Gives for how many seconds the other side wants rest, if it has said so. */
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

  /** No permits are added before `untilMs`. */
  holdUntil(untilMs: number): void {
    this.#heldMs = Math.max(this.#heldMs, untilMs);
  }

  /** Sets the share, which nothing is started after `endMs` of. */
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

  /** Leaves no more than `share` of the share. */
  shrinkTo(share: Share): void {
    if (this.isStarved) return;
    const { permitsPerSecond, inFlight } = this.#share;
    const smaller = {
      permitsPerSecond: Math.min(permitsPerSecond, share.permitsPerSecond),
      inFlight: Math.min(inFlight, share.inFlight),
    };
    this.setShare(smaller, this.#endMs);
  }

  /** The rate to ask for: as much as there is, unless what it had was not used while others were there. */
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
    // A late tick brings what is missing, but not after a stop of the process.
    const earned = permitsPerSecond * Math.min(seconds, LATE_SECONDS);
    this.#earned += earned;
    const whole = Math.floor(this.#fraction + earned);
    this.#fraction += earned - whole;
    if (whole > 0) addPermits(this.permits, whole, most);
  }
}
