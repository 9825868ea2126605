/** What one poll of a queue gave. */
export interface PollResult {
  /** Work was taken. */
  found: boolean;
  /** No slot is free after it. */
  full: boolean;
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

/** Takes the work that was due at an instant (epoch milliseconds). */
export type Poll = (at: number) => PollResult;

/** Makes the pacer of one queue. */
export type PacerFactory = (poll: Poll) => Pacer;

const longestTimeoutMs = 2 ** 31 - 1;
const shortestIntervalMs = 50;

/** Looks at once whenever something may have changed, and when the next work falls due. */
export function createPushPacer(poll: Poll): Pacer {
  let timer: NodeJS.Timeout | undefined;
  let asked = false;
  let running = false;

  function look(): void {
    asked = false;
    if (!running) return;
    clearTimeout(timer);
    const { nextDueAt } = poll(Date.now());
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

/** How a queue is polled. */
export interface PollingOptions {
  maximumMs: number;
  /**
   * Who puts messages on the queue. The provider wakes its own poller after each send (TaskHubQueue.AddMessageAsync): a poll
   * follows a send of `self` at once, while a message of `other` instances waits for the next poll.
   */
  sender: 'self' | 'other';
  /** From 0 to 1; default `Math.random`. */
  random?: () => number;
}

/**
 * Polls as the Azure Storage provider does (TaskHubQueue, WorkItemQueue and WorkItemDispatcher of Azure/durabletask): one loop
 * per queue, again at once after a find, else after a wait that only empty polls lengthen, up to `maximumMs`. The loop rests
 * while no slot is free. What a poll saw for a busy instance runs when that is free, without another poll.
 */
export function createPollingPacer(poll: Poll, { maximumMs, sender, random = Math.random }: PollingOptions): Pacer {
  const backoff = createBackoff(maximumMs, random);
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let isFull = false;
  let polledAt = 0;

  function take(result: PollResult): void {
    clearTimeout(timer);
    if (result.found) backoff.reset();
    isFull = result.full;
    if (!isFull) timer = setTimeout(look, result.found ? 0 : backoff.next());
  }
  function look(): void {
    if (!running) return;
    polledAt = Date.now();
    take(poll(polledAt));
  }
  function useSlot(): void {
    if (!running) return;
    if (isFull) {
      look();
      return;
    }
    const result = poll(polledAt);
    if (result.found) take(result);
  }
  let isAsked = false;
  function lookForSent(): void {
    isAsked = false;
    if (!isFull) look();
  }
  function wake(): void {
    if (sender === 'other' || isAsked) return;
    isAsked = true;
    setImmediate(lookForSent);
  }
  return {
    start: () => {
      running = true;
      look();
    },
    wake,
    freed: () => void setImmediate(useSlot),
    stop: () => {
      running = false;
      clearTimeout(timer);
    },
  };
}

/**
 * The waits between empty polls, as BackoffPollingHelper computes them: none before the first repetition, then 50 ms, then
 * 50 ms plus 50, 100, 200 .. ms, of which each is varied by up to a fifth; at most `maximumMs`, or 50 ms if that is less.
 */
function createBackoff(maximumMs: number, random: () => number): { reset(): void; next(): number } {
  const longestMs = Math.max(maximumMs, shortestIntervalMs);
  let empty = 0;
  return {
    reset: () => {
      empty = 0;
    },
    next: () => {
      empty += 1;
      if (empty < 3) return empty === 1 ? 0 : shortestIntervalMs;
      const addedMs = shortestIntervalMs * 2 ** (empty - 3) * (0.8 + 0.4 * random());
      return Math.min(shortestIntervalMs + addedMs, longestMs);
    },
  };
}
