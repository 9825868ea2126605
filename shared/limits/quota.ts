/** Leases a share of one workload's limits for one process while its dequeue tasks run. */
import { toError } from '../errors.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { countRateLowered } from '../telemetry/metrics.ts';
import type { Workload } from '../workload/define.ts';
import type { Limit } from '../workload/limit.ts';
import { type Claim, type Claimed, claimShare } from './claim.ts';
import { Pacer, TICK_MS } from './pacer.ts';
import { hasRoom, NO_SHARE, readQuota, type Share, type VersionedQuota, writeQuota } from './quota-row.ts';

/** A process stops using a lease this long before its end: the service clock is up to a second behind. */
const MARGIN_MS = 1_500;
/** Minimum time between two claims that report throttling. */
const THROTTLED_CLAIM_MS = 1_000;
/** Wait before a failed claim is repeated. */
const FAULT_RETRY_MS = 1_000;
/** Wait before a claim for which the row had no room is repeated: leases of other processes may have ended by then. */
const FULL_RETRY_MS = 5_000;

export interface QuotaDeps {
  /** The table of the gates. */
  table: Table;
  now: () => number;
  /** A monotonic clock in milliseconds that is the same for all threads of the process. */
  clockMs: () => number;
  id: string;
  /** Returns the maximum number of calls that this process can have in flight for a workload. */
  callsInFlight: (workload: Workload) => number;
}

/**
 * Whether work may start. Without a share, `retryAt` is the service time in milliseconds at which to ask again. When
 * the last task leaves, the share of the process is released, so that the queue's next task can get it in any process.
 * `leave` never rejects.
 */
export type Entry = { leave: () => Promise<void> } | { retryAt: number };

/** The limits of one workload in this process. */
export class Quota {
  readonly pacer: Pacer;
  readonly #workload: Workload;
  readonly #limit: Limit;
  readonly #deps: QuotaDeps;
  /** The queues of the tasks that have entered, one entry per task. */
  #tasks: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> | undefined;
  /** Whether the current write releases the share. */
  #isReleasing = false;
  /** The row as this process last wrote it; undefined if it has not written it. */
  #known: VersionedQuota | undefined;
  /** By the process-wide clock. */
  #renewMs = 0;
  #claimedMs = 0;
  /** The queues whose tasks have finished since the share was last released. */
  readonly #left = new Set<string>();
  #quiet = 0;
  #isShared = false;
  #throttledSeconds: number | undefined;

  constructor(workload: Workload, limit: Limit, deps: QuotaDeps) {
    this.#workload = workload;
    this.#limit = limit;
    this.#deps = deps;
    this.pacer = new Pacer(limit, deps.clockMs);
  }

  async enter(queue: string): Promise<Entry> {
    // Counted from here on: another task that leaves meanwhile must not release what this one claims.
    this.#tasks.push(queue);
    let hasEntered = false;
    try {
      await this.#writing;
      if (this.pacer.isStarved) await this.#claim([queue]);
      hasEntered = !this.pacer.isStarved;
    } finally {
      // The place of a queue without a share lasts longer in the row than that of a queue whose task has finished.
      if (!hasEntered) {
        this.#left.delete(queue);
        await this.#remove(queue);
      }
    }
    if (!hasEntered) return { retryAt: this.#deps.now() + Math.max(0, this.#renewMs - this.#deps.clockMs()) };
    if (this.#timer === undefined) {
      this.pacer.start();
      this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    }
    return {
      leave: () => {
        this.#left.add(queue);
        return this.#remove(queue);
      },
    };
  }

  async #remove(queue: string): Promise<void> {
    this.#tasks.splice(this.#tasks.indexOf(queue), 1);
    if (this.#tasks.length > 0 || this.#timer === undefined) return;
    this.#stop();
    await this.#writing;
    if (this.#tasks.length === 0) await this.#release();
  }

  /** Releases the share, also if tasks still run. */
  async close(): Promise<void> {
    this.#stop();
    await this.#writing;
    await this.#release();
  }

  async #release(): Promise<void> {
    const left = [...this.#left];
    this.#left.clear();
    if (!this.#isCounted) return;
    this.pacer.setShare(NO_SHARE, 0);
    try {
      await this.#inTurn({ queues: [], left });
      this.#renewMs = 0;
    } catch (error) {
      log.info('quota-not-released', { workload: this.#workload.name, error: toError(error) });
    }
  }

  /** Whether the row contains a share of this process, or items that were in flight when its share ended. */
  get #isCounted(): boolean {
    const isHolder = this.#known?.row.holders.some(({ id }) => id === this.#deps.id) ?? false;
    return !this.pacer.isStarved || (this.#limit.maxInFlight !== undefined && isHolder);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const throttledSeconds = this.pacer.tick();
    const nowMs = this.#deps.clockMs();
    if (throttledSeconds !== undefined) {
      // The next claim halves the rate for all processes. Throttling responses of the same moment share one claim.
      this.#throttledSeconds = Math.max(throttledSeconds, this.#throttledSeconds ?? 0);
      this.#renewMs = Math.min(this.#renewMs, Math.max(nowMs, this.#claimedMs + THROTTLED_CLAIM_MS));
    }
    if (nowMs < this.#renewMs || this.#writing !== undefined) return;
    this.#claim(this.#tasks).catch((error: unknown) => {
      log.warn('quota-not-claimed', { workload: this.#workload.name, error: toError(error) });
    });
  }

  /** Makes one claim at a time: tasks that start together share the lease; a release ends first. */
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
    // Valid until the claim succeeds: a claim that fails is repeated, but not at every tick.
    this.#claimedMs = this.#deps.clockMs();
    this.#renewMs = this.#claimedMs + FAULT_RETRY_MS;
    // If other processes write the row too, the known version is outdated.
    let cachedRow = this.#isShared ? undefined : this.#known;
    const claimed = await retryLostRace(`quota of workload ${this.#workload.name}`, async () => {
      const found = cachedRow ?? (await readQuota(table, this.#workload.name));
      cachedRow = undefined;
      const claim = { id: this.#deps.id, wants, throttledSeconds, quiet: this.#quiet, ...who };
      const situation = { limit: this.#limit, nowMs: this.#deps.now() };
      const claimNow = (): Claimed => claimShare(found.row, { ...claim, inFlight: this.pacer.inFlight }, situation);
      const first = claimNow();
      if (!hasRoom(first.row)) return undefined;
      // Shrinks before the row is written: no other process may get what is still used here. What has started until
      // then is in flight.
      this.pacer.shrinkTo(first.share);
      const claimed = claimNow();
      const etag = await writeQuota(table, { row: claimed.row, etag: found.etag });
      if (etag === undefined) return LOST_RACE;
      this.#known = { row: claimed.row, etag };
      return claimed;
    });
    if (claimed === undefined) {
      this.#renewMs = this.#claimedMs + FULL_RETRY_MS;
      log.warn('quota-full', { workload: this.#workload.name });
      return;
    }
    if (throttledSeconds !== undefined) {
      if (this.#throttledSeconds === throttledSeconds) this.#throttledSeconds = undefined;
      countRateLowered(this.#workload.name);
      const { factor } = claimed.row;
      log.warn('rate-lowered', { workload: this.#workload.name, factor, seconds: throttledSeconds });
    }
    if (who.queues.length > 0) this.#accept(claimed);
  }

  #accept({ row, share, renewsAt, until, isShared }: Claimed): void {
    const nowMs = this.#deps.clockMs();
    const toLocalMs = nowMs - this.#deps.now();
    this.#quiet = isShared ? 0 : this.#quiet + 1;
    this.#isShared = isShared;
    this.pacer.holdUntil(row.heldUntil + toLocalMs);
    this.#renewMs = renewsAt + toLocalMs;
    this.pacer.setShare(share, until + toLocalMs - MARGIN_MS);
  }

  #wants(): Share {
    const { maxInFlight, itemsPerCall } = this.#limit;
    const calls = this.#deps.callsInFlight(this.#workload);
    const inFlight = maxInFlight === undefined ? Number.POSITIVE_INFINITY : calls * itemsPerCall;
    return { permitsPerSecond: this.pacer.wantedRate(this.#isShared), inFlight };
  }
}
