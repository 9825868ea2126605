/** The longest delay a timer of Node takes. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** How often to look when the clock is not the machine's: it may jump without any timer noticing. */
const FOREIGN_CLOCK_POLL_MS = 20;

/** One timer for everything that is due at some time: it rings at the earliest of the times asked for. */
export class Alarm {
  readonly #now: () => number;
  readonly #maxDelayMs: number;
  readonly #ring: () => void;
  #earliest = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `now` is the clock to go by, default the machine's; `ring` is called when a time has come. */
  constructor(now: (() => number) | undefined, ring: () => void) {
    this.#now = now ?? Date.now;
    this.#maxDelayMs = now ? FOREIGN_CLOCK_POLL_MS : MAX_DELAY_MS;
    this.#ring = ring;
  }

  /** Asks to be rung at `time`, milliseconds since 1970. */
  at(time: number): void {
    if (time >= this.#earliest || this.#stopped) return;
    this.#earliest = time;
    this.#start();
  }

  /** Never rings again. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    clearTimeout(this.#timer);
    const delay = Math.max(0, this.#earliest - this.#now());
    this.#timer = setTimeout(() => this.#look(), Math.min(delay, this.#maxDelayMs));
  }

  #look(): void {
    if (this.#now() < this.#earliest) {
      this.#start();
      return;
    }
    this.#earliest = Number.POSITIVE_INFINITY;
    this.#ring();
  }
}
