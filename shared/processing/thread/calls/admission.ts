import { endCall, hasShare, type Permits, releaseUnused, reportThrottled, take } from '../../../limits/permits.ts';
import { addHeld, type StatusBuffer } from '../thread-status.ts';

/**
 * How long a chunk waits in a process that has no share of its workload's limits. A share may be gone for one lease, where
 * others have come; a chunk that is passed on costs some operations.
 */
const WITHOUT_SHARE_MS = 10_000;

/** A call that was admitted by the limits of its workload. */
export class AdmittedCall {
  readonly #admission: Admission;
  readonly #items: number;
  #begun = 0;

  constructor(admission: Admission, items: number) {
    this.#admission = admission;
    this.#items = items;
  }

  /** The handler is called now, with so many items. */
  begin(items: number): void {
    this.#begun = items;
  }

  /** The call is over. What it did not use is released. */
  end(): void {
    this.#admission.end(this.#items, this.#begun);
  }
}

/** Admits the calls of one run of a chunk as the limits of its workload allow. */
export class Admission {
  /** Whether the process has had no share for so long that the rest is better passed on. */
  isStarved = false;
  readonly #permits: Permits;
  readonly #statusBuffer: StatusBuffer;
  readonly #clockMs: () => number;
  /** When the call that waits asked last. */
  #refusedMs: number | undefined;
  #withoutSinceMs: number | undefined;
  #waitedMs = 0;

  /** `clockMs` is one for all threads of the process. */
  constructor(permits: Permits, statusBuffer: StatusBuffer, clockMs: () => number) {
    this.#permits = permits;
    this.#statusBuffer = statusBuffer;
    this.#clockMs = clockMs;
  }

  /** Seconds in which nothing was begun, as the limits did not allow it. */
  get waitedSeconds(): number {
    return this.#waitedMs / 1_000;
  }

  /** Admits a call with so many items; undefined: it has to wait, or, once `isStarved`, to be passed on. */
  admit(items: number): AdmittedCall | undefined {
    const nowMs = this.#clockMs();
    this.#waitedMs += nowMs - (this.#refusedMs ?? nowMs);
    const isTaken = take(this.#permits, items, nowMs);
    this.#refusedMs = isTaken ? undefined : nowMs;
    if (!isTaken) {
      this.#lookForShare(nowMs);
      return undefined;
    }
    this.#withoutSinceMs = undefined;
    addHeld(this.#statusBuffer, items);
    return new AdmittedCall(this, items);
  }

  end(items: number, begun: number): void {
    releaseUnused(this.#permits, items, begun);
    endCall(this.#permits, items);
    addHeld(this.#statusBuffer, -items);
  }

  /** The other side asks for rest. */
  reportThrottled(afterMs: number): void {
    reportThrottled(this.#permits, afterMs);
  }

  #lookForShare(nowMs: number): void {
    this.#withoutSinceMs = hasShare(this.#permits) ? undefined : (this.#withoutSinceMs ?? nowMs);
    this.isStarved = this.#withoutSinceMs !== undefined && nowMs - this.#withoutSinceMs >= WITHOUT_SHARE_MS;
  }
}
