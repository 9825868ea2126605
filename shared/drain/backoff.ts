/** Random exponential back-off between polls of an empty queue, as defined in the white paper on queue-based messaging. */

/** Bounds of the wait in milliseconds. The paper's maximum is about a second: an idle listener must stay responsive. */
export interface BackoffBounds {
  minIdleMs: number;
  maxIdleMs: number;
}

export const DEFAULT_BACKOFF: BackoffBounds = { minIdleMs: 0, maxIdleMs: 1_000 };

/**
 * delta = (2^idleCount - 1) x random(80..120 ms); delay = min(minIdle + delta, maxIdle).
 * Source: "Best practices for maximizing scalability and cost effectiveness of queue-based messaging solutions".
 * @param idleCount empty receives in a row, from 1
 * @param random in [0, 1)
 */
export function backoffMs(idleCount: number, random: number, bounds: BackoffBounds = DEFAULT_BACKOFF): number {
  const step = 80 + random * 40;
  return Math.min(bounds.minIdleMs + (2 ** idleCount - 1) * step, bounds.maxIdleMs);
}
