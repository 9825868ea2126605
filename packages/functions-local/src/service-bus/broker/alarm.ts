/** Maximum delay of a timer in Node. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Polling interval for a clock other than the machine's, which can jump without effect on timers. */
const FOREIGN_CLOCK_POLL_MS = 20;

/** One timer for all due times: it calls back at the earliest requested time. */
export class Alarm {
  readonly #now: () => number;
  readonly #maxDelayMs: number;
  readonly #ring: () => void;
  #earliest = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `now` is the clock, by default the machine's. `ring` is called when a requested time is reached. */
  constructor(now: (() => number) | undefined, ring: () => void) {
    this.#now = now ?? Date.now;
    this.#maxDelayMs = now ? FOREIGN_CLOCK_POLL_MS : MAX_DELAY_MS;
    this.#ring = ring;
  }

  /** Requests a call at `time`, in milliseconds since 1970. */
  at(time: number): void {
    if (time >= this.#earliest || this.#stopped) return;
    this.#earliest = time;
    this.#start();
  }

  /** Cancels all requests and accepts no more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    clearTimeout(this.#timer);
    const delay = Math.max(0, this.#earliest - this.#now());
    this.#timer = setTimeout(() => this.#check(), Math.min(delay, this.#maxDelayMs));
  }

  #check(): void {
    if (this.#now() < this.#earliest) {
      this.#start();
      return;
    }
    this.#earliest = Number.POSITIVE_INFINITY;
    this.#ring();
  }
}
