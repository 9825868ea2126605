/** The longest wait between polls of an empty queue: an idle listener must stay responsive. A task ends instead. */
export const MAX_IDLE_MS = 1_000;

/**
 * Random exponential back-off between polls of an empty queue: (2^idleCount - 1) x random(80..120 ms), at most MAX_IDLE_MS.
 * Source: "Best practices for maximizing scalability and cost effectiveness of queue-based messaging solutions".
 * @param idleCount empty receives in a row, from 1
 * @param random in [0, 1)
 */
export const backoffMs = (idleCount: number, random: number): number =>
  Math.min((2 ** idleCount - 1) * (80 + random * 40), MAX_IDLE_MS);
