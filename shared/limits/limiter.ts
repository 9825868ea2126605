/**
 * The limits of the workloads that one process works at: it leases their shares while dequeue tasks run, and gives the
 * share out as permits, evenly over time.
 */
import { toError } from '../errors.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { countRateLowered } from '../telemetry/metrics.ts';
import type { Workload } from '../workload/define.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { type Claim, type Claimed, claimShare } from './claim.ts';
import { type Limit, limitOf } from './limit.ts';
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
import { newQuota, readQuota, type Share, type VersionedQuota, writeQuota } from './quota-row.ts';

/** How often permits are added. */
const TICK_MS = 20;
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
/**
 * A lease ends here before it ends for others: a service clock is up to a second behind, and a round trip (service-clock.ts).
 */
const MARGIN_MS = 1_500;
/** Shortest time between two claims that report throttling. */
const THROTTLED_CLAIM_MS = 1_000;
/** Wait before a claim is tried again that met a fault. */
const FAULT_RETRY_MS = 1_000;
/** A process that uses less than this part of its share asks for what it has used, and a little more. */
const FULL_USE = 0.8;
const MORE_THAN_USED = 1.25;
/** Little use shows when a share has brought permits for so many calls, and for a second: less may wait for the next call. */
const JUDGED_CALLS = 6;

export interface LimiterDeps {
  /** The table of the gates. */
  table: Table;
  /** Service time in milliseconds. */
  now: () => number;
  /** A monotonic clock in milliseconds that is one for all threads of the process. */
  clockMs: () => number;
  /** Names this process among the holders. */
  id: string;
  /** Calls that this process can have in flight per workload. */
  callsInFlight: (workload: Workload) => number;
}

/**
 * Whether work may begin; without a share: when to ask again, as service time in milliseconds. Whoever leaves last gives up
 * the share of the process, so that the queue's next task finds it free wherever it runs; `leave` never rejects.
 */
export type Entry = { leave: () => Promise<void> } | { retryAt: number };

/** The limits of one process. */
export interface Limiter {
  /** Enters a queue's workload before its work is received. Costs an operation if there is no lease that still holds. */
  enter: (address: Pick<QueueAddress, 'queue' | 'workload'>) => Promise<Entry>;
  /** The permits of a workload that was entered; undefined when it has no limits. */
  permitsOf: (workload: Workload) => Permits | undefined;
  /** Whether the process has lost its share of a workload: what has not begun is better returned. */
  isStarved: (workload: Workload) => boolean;
  /** Gives up all shares, for others to take; never rejects. */
  close: () => Promise<void>;
}

/** Makes the limiter of a process. Its timers run only while there is work of a limited workload. */
export function createLimiter(deps: LimiterDeps): Limiter {
  const quotas = new Map<string, Quota>();
  const quotaOf = (workload: Workload): Quota | undefined => {
    const limit = limitOf(workload);
    if (limit === undefined) return undefined;
    const quota = quotas.get(workload.name) ?? new Quota(workload, limit, deps);
    quotas.set(workload.name, quota);
    return quota;
  };
  return {
    enter: async ({ queue, workload }) => {
      const quota = quotaOf(workload);
      return quota === undefined ? { leave: async () => {} } : quota.enter(queue);
    },
    permitsOf: (workload) => quotaOf(workload)?.permits,
    isStarved: (workload) => quotas.get(workload.name)?.isStarved ?? false,
    close: async () => {
      await Promise.all([...quotas.values()].map((quota) => quota.close()));
    },
  };
}

const NONE: Share = { permitsPerSecond: 0, inFlight: 0 };

/** One workload's limits in this process. */
class Quota {
  readonly permits: Permits;
  readonly #workload: Workload;
  readonly #limit: Limit;
  readonly #deps: LimiterDeps;
  /** The queues of the tasks that have entered, once per task. */
  #tasks: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> | undefined;
  /** Whether what is being written gives the share up. */
  #isReleasing = false;
  #known: VersionedQuota;
  #share = NONE;
  /** By the process-wide clock. */
  #endMs = 0;
  #renewMs = 0;
  #heldMs = 0;
  #claimedMs = 0;
  #tickedMs = 0;
  /** The queues whose tasks have ended since the share was given up last. */
  readonly #left = new Set<string>();
  /** Permits that are not whole yet. */
  #fraction = 0;
  /** Permits that the share has brought, and those that were taken, since its use was judged; what was asked for then. */
  #earned = 0;
  #taken = 0;
  #wantedRate = Number.POSITIVE_INFINITY;
  #quiet = 0;
  #isShared = false;
  #throttledSeconds: number | undefined;

  constructor(workload: Workload, limit: Limit, deps: LimiterDeps) {
    this.#workload = workload;
    this.#limit = limit;
    this.#deps = deps;
    this.#known = { row: newQuota(workload.name), etag: undefined };
    this.permits = createPermits(limit.unit === 'items');
  }

  /** Whether nothing can be started: there is no share, or it has ended. */
  get isStarved(): boolean {
    return this.#share.inFlight === 0 || this.#deps.clockMs() >= this.#endMs;
  }

  async enter(queue: string): Promise<Entry> {
    await this.#writing;
    if (this.isStarved) await this.#claim([queue]);
    if (this.isStarved) return { retryAt: this.#deps.now() + Math.max(0, this.#renewMs - this.#deps.clockMs()) };
    this.#tasks.push(queue);
    this.#start();
    return { leave: () => this.#leave(queue) };
  }

  async #leave(queue: string): Promise<void> {
    this.#tasks.splice(this.#tasks.indexOf(queue), 1);
    this.#left.add(queue);
    if (this.#tasks.length === 0) await this.close();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    if (this.#timer !== undefined) return;
    const left = [...this.#left];
    this.#left.clear();
    if (!this.#isCounted) return;
    this.#setShare(NONE, 0);
    try {
      await this.#inTurn({ queues: [], left });
      this.#renewMs = 0;
    } catch (error) {
      log.info('quota-not-released', { workload: this.#workload.name, error: toError(error) });
    }
  }

  /** Whether the row counts something for this process: its share, or items that were in flight when it lost it. */
  get #isCounted(): boolean {
    const isHolder = this.#known.row.holders.some(({ id }) => id === this.#deps.id);
    return !this.isStarved || (this.#limit.maxInFlight !== undefined && isHolder);
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    this.#tickedMs = this.#deps.clockMs();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    const nowMs = this.#deps.clockMs();
    const passedMs = nowMs - this.#tickedMs;
    this.#tickedMs = nowMs;
    const throttledSeconds = readThrottled(this.permits);
    if (throttledSeconds !== undefined) this.#holdBack(throttledSeconds);
    if (nowMs >= this.#endMs && this.#share.inFlight > 0) this.#setShare(NONE, 0);
    else if (nowMs >= this.#heldMs) this.#add(passedMs / 1_000);
    if (nowMs >= this.#renewMs) this.#claimInBackground();
  }

  /** Nothing for a while here, and half the pace for all with the claim that follows: answers of one moment share one. */
  #holdBack(seconds: number): void {
    const nowMs = this.#deps.clockMs();
    clearPermits(this.permits);
    this.#heldMs = Math.max(this.#heldMs, nowMs + Math.min(seconds, this.#limit.perSeconds) * 1_000);
    this.#throttledSeconds = Math.max(seconds, this.#throttledSeconds ?? 0);
    this.#renewMs = Math.min(this.#renewMs, Math.max(nowMs, this.#claimedMs + THROTTLED_CLAIM_MS));
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

  #claimInBackground(): void {
    if (this.#writing !== undefined) return;
    this.#claim(this.#tasks).catch((error: unknown) => {
      log.warn('quota-not-claimed', { workload: this.#workload.name, error: toError(error) });
    });
  }

  /** One at a time: tasks that begin together share the lease. One that begins during a release makes its own. */
  async #claim(queues: readonly string[]): Promise<void> {
    while (this.#writing !== undefined && this.#isReleasing) await this.#writing;
    await (this.#writing ?? this.#inTurn({ queues: [...new Set(queues)] }));
  }

  #inTurn(who: Pick<Claim, 'queues' | 'left'>): Promise<void> {
    this.#isReleasing = who.queues.length === 0;
    const writing = this.#write(who).finally(() => {
      this.#writing = undefined;
    });
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  async #write(who: Pick<Claim, 'queues' | 'left'>): Promise<void> {
    const { table } = this.#deps;
    const throttledSeconds = this.#throttledSeconds;
    const wants = this.#wants();
    // Until the answer is there: a claim that fails is repeated, but not with each tick.
    this.#claimedMs = this.#deps.clockMs();
    this.#renewMs = this.#claimedMs + FAULT_RETRY_MS;
    const known = { ...this.#known };
    // Where others write it, too, what is known of the row is old.
    let isRead = known.etag !== undefined && !this.#isShared;
    const claimed = await retryLostRace(`quota of workload ${this.#workload.name}`, async () => {
      const found = isRead ? known : await readQuota(table, this.#workload.name);
      isRead = false;
      const claim: Claim = {
        ...{ id: this.#deps.id, wants, throttledSeconds, quiet: this.#quiet, ...who },
        inFlight: inFlightOf(this.permits),
      };
      const claimed = claimShare(found.row, claim, { limit: this.#limit, nowMs: this.#deps.now() });
      this.#shrinkTo(claimed.share);
      const etag = await writeQuota(table, { row: claimed.row, etag: found.etag });
      if (etag === undefined) return LOST_RACE;
      this.#known = { row: claimed.row, etag };
      return claimed;
    });
    if (throttledSeconds !== undefined) {
      if (this.#throttledSeconds === throttledSeconds) this.#throttledSeconds = undefined;
      countRateLowered(this.#workload.name);
      log.warn('rate-lowered', {
        workload: this.#workload.name,
        factor: claimed.row.factor,
        seconds: throttledSeconds,
      });
    }
    if (who.queues.length > 0) this.#accept(claimed);
  }

  /** Before the row says so: nobody may take what is still used here. */
  #shrinkTo(share: Share): void {
    if (this.isStarved) return;
    const { permitsPerSecond, inFlight } = this.#share;
    const smaller = {
      permitsPerSecond: Math.min(permitsPerSecond, share.permitsPerSecond),
      inFlight: Math.min(inFlight, share.inFlight),
    };
    this.#setShare(smaller, this.#endMs);
  }

  #accept({ row, share, renewsAt, until, isShared }: Claimed): void {
    const nowMs = this.#deps.clockMs();
    const toLocalMs = nowMs - this.#deps.now();
    this.#quiet = isShared ? 0 : this.#quiet + 1;
    this.#isShared = isShared;
    this.#heldMs = Math.max(this.#heldMs, row.heldUntil + toLocalMs);
    this.#renewMs = renewsAt + toLocalMs;
    this.#setShare(share, until + toLocalMs - MARGIN_MS);
  }

  #setShare(share: Share, endMs: number): void {
    this.#share = share;
    this.#endMs = endMs;
    if (share.inFlight === 0) clearPermits(this.permits);
    setShare(this.permits, {
      inFlight: share.inFlight,
      hasRate: Number.isFinite(share.permitsPerSecond),
      isServed: share.inFlight > 0,
      untilMs: endMs,
    });
  }

  #wants(): Share {
    const { maxInFlight, itemsPerCall } = this.#limit;
    const calls = this.#deps.callsInFlight(this.#workload);
    const inFlight = maxInFlight === undefined ? Number.POSITIVE_INFINITY : calls * itemsPerCall;
    return { permitsPerSecond: this.#wantsRate(), inFlight };
  }

  /** As much as it can have, unless it has not used what it had while others were there. */
  #wantsRate(): number {
    const had = this.#share.permitsPerSecond;
    this.#taken += readTaken(this.permits);
    const isAlone = !this.#isShared || had === 0;
    const usesAll = isAlone || (this.#taken > 0 && this.#taken >= this.#earned * FULL_USE);
    const isJudged = this.#earned >= Math.max(had, JUDGED_CALLS * this.#limit.permitsPerCall);
    if (!usesAll && !isJudged) return this.#wantedRate;
    this.#wantedRate = usesAll ? Number.POSITIVE_INFINITY : (this.#taken / this.#earned) * had * MORE_THAN_USED;
    this.#taken = 0;
    this.#earned = 0;
    return this.#wantedRate;
  }
}
