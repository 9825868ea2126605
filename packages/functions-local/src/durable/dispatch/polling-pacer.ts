import type { Pacer, Poll, PollResult } from './pacer.ts';

const shortestIntervalMs = 50;

/** Options of the polling of one queue. */
export interface PollingOptions {
  maximumMs: number;
  /**
   * The sender of the queue's messages. The provider wakes its own poller after each send (TaskHubQueue.AddMessageAsync): a
   * send of `self` is followed by a poll immediately, while a message of `other` instances waits for the next poll.
   */
  sender: 'self' | 'other';
  /** From 0 to 1. Defaults to `Math.random`. */
  random?: () => number;
}

/**
 * Polls as the Azure Storage provider does (TaskHubQueue, WorkItemQueue and WorkItemDispatcher of Azure/durabletask). Each
 * queue has one loop. It polls again immediately after it found work, otherwise after a wait that only empty polls lengthen,
 * up to `maximumMs`. The loop pauses while no slot is free. Work that a poll found for a busy instance runs as soon as the
 * instance is free, without another poll.
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
    if (!isFull) timer = setTimeout(pollNow, result.found ? 0 : backoff.next());
  }
  function pollNow(): void {
    if (!running) return;
    polledAt = Date.now();
    take(poll(polledAt));
  }
  function useSlot(): void {
    if (!running) return;
    if (isFull) {
      pollNow();
      return;
    }
    const result = poll(polledAt);
    if (result.found) take(result);
  }
  let isScheduled = false;
  function pollForSent(): void {
    isScheduled = false;
    if (!isFull) pollNow();
  }
  function wake(): void {
    if (sender === 'other' || isScheduled) return;
    isScheduled = true;
    setImmediate(pollForSent);
  }
  return {
    start: () => {
      running = true;
      pollNow();
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
 * Computes the waits between empty polls as BackoffPollingHelper does: none before the first repetition, then 50 ms, then 50
 * ms plus 50, 100, 200 … ms, each varied by up to a fifth. The maximum is `maximumMs`, or 50 ms if that is less.
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
