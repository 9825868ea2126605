/** What one look into a queue gave. */
export interface PollResult {
  /** Work was taken. */
  found: boolean;
  /** Work is due that could not be taken yet: no free slot, or its instance is busy. */
  held: boolean;
  /** When the next work falls due, epoch milliseconds. */
  nextDueAt: number | undefined;
}

/** Decides when a queue is looked into. */
export interface Pacer {
  start(): void;
  /** New work may be there. */
  wake(): void;
  /** A slot became free. */
  freed(): void;
  stop(): void;
}

/** Makes the pacer of one queue. */
export type PacerFactory = (poll: () => PollResult) => Pacer;

const longestTimeoutMs = 2 ** 31 - 1;
const firstBackoffMs = 50;

/** Looks at once whenever something may have changed, and when the next work falls due. */
export function createPushPacer(poll: () => PollResult): Pacer {
  let timer: NodeJS.Timeout | undefined;
  let asked = false;
  let running = false;

  function look(): void {
    asked = false;
    if (!running) return;
    clearTimeout(timer);
    const { nextDueAt } = poll();
    if (nextDueAt === undefined) return;
    const wait = Math.min(Math.max(nextDueAt - Date.now(), 1), longestTimeoutMs);
    timer = setTimeout(look, wait);
  }
  function wake(): void {
    // Many completions at once become one look, so that one turn takes them all.
    if (!asked) setImmediate(look);
    asked = true;
  }
  return {
    start: () => {
      running = true;
      wake();
    },
    wake,
    freed: wake,
    stop: () => {
      running = false;
      clearTimeout(timer);
    },
  };
}

/**
 * Looks as the Azure Storage provider does: again at once after a find, else after 50 ms, doubling up to `maximumMs`, each
 * ± 20 %. Sends never shorten a wait here, as if every message came from another instance of the app: the slowest case.
 */
export function createPollingPacer(poll: () => PollResult, maximumMs: number, random = Math.random): Pacer {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let held = false;
  let backoffMs = firstBackoffMs;

  function look(): void {
    if (!running) return;
    clearTimeout(timer);
    const result = poll();
    held = result.held;
    if (result.found || result.held) backoffMs = firstBackoffMs;
    timer = setTimeout(look, result.found ? 0 : Math.min(backoffMs, maximumMs) * (0.8 + 0.4 * random()));
    if (!result.found) backoffMs = Math.min(backoffMs * 2, maximumMs);
  }
  return {
    start: () => {
      running = true;
      look();
    },
    wake: () => undefined,
    freed: () => {
      if (held) setImmediate(look);
    },
    stop: () => {
      running = false;
      clearTimeout(timer);
    },
  };
}
