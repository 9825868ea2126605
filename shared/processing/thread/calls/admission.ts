import { endCall, hasShare, type Permits, take } from '../../../limits/permits.ts';

/** How long a chunk waits without a share: a lease may bring none, and passing a chunk on costs operations. */
const WITHOUT_SHARE_MS = 10_000;

export interface AdmittedCall {
  /** Records that the handler is called now, with this number of items. */
  begin: (items: number) => void;
  /** Ends the call, and releases what it did not use. */
  end: () => void;
}

/** Admits the calls of one run of a chunk within the limits of its workload. */
export class Admission {
  /** Whether the process has had no share for so long that the remaining items are passed on. */
  isStarved = false;
  readonly #permits: Permits;
  readonly #clockMs: () => number;
  /** When the waiting call was last refused. */
  #refusedMs: number | undefined;
  #withoutSinceMs: number | undefined;
  #waitedMs = 0;

  /** `clockMs` must be the same clock for all threads of the process. */
  constructor(permits: Permits, clockMs: () => number) {
    this.#permits = permits;
    this.#clockMs = clockMs;
  }

  /** Seconds in which no call could begin because of the limits. */
  get waitedSeconds(): number {
    return this.#waitedMs / 1_000;
  }

  /** Admits a call with this number of items. If undefined, the call must wait or, once `isStarved`, be passed on. */
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
    let begun = 0;
    return {
      begin: (withItems) => {
        begun = withItems;
      },
      end: () => endCall(this.#permits, items, begun),
    };
  }

  #lookForShare(nowMs: number): void {
    this.#withoutSinceMs = hasShare(this.#permits) ? undefined : (this.#withoutSinceMs ?? nowMs);
    this.isStarved = this.#withoutSinceMs !== undefined && nowMs - this.#withoutSinceMs >= WITHOUT_SHARE_MS;
  }
}
