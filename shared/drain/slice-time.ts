/** The time of a slice, as its rounds see it. */
export interface SliceTime {
  /** Whether nothing more begins: the rest is returned to the queue. Once true, it stays true. */
  isOver: () => boolean;
  /** How long a reference may wait for its turn, in milliseconds: until the slice is over. 0 if it is. */
  waitMs: () => number;
  /** The time of `processClockMs` after which no item begins; chunks that have begun continue after it. */
  beginUntilMs: number;
}

/** The time of work that belongs to no slice: it never ends. */
export const UNLIMITED: SliceTime = {
  isOver: () => false,
  waitMs: () => Number.POSITIVE_INFINITY,
  beginUntilMs: Number.POSITIVE_INFINITY,
};

/** The time of messages that are returned without a start. */
export const OVER: SliceTime = { isOver: () => true, waitMs: () => 0, beginUntilMs: 0 };

interface SliceTimeOptions {
  endMs: number;
  beginUntilMs: number;
  mustEnd: () => boolean;
  nowMs: () => number;
}

/**
 * Creates the time of a slice that ends at `endMs`, at `beginUntilMs`, or when it must end early. The end is final even if
 * its reason has passed: otherwise a round would run a reference that it had prepared for a return.
 */
export function createSliceTime({ endMs, beginUntilMs, mustEnd, nowMs }: SliceTimeOptions): SliceTime {
  const lastMs = Math.min(endMs, beginUntilMs);
  let hasEnded = false;
  const isOver = (): boolean => {
    hasEnded ||= mustEnd() || nowMs() >= lastMs;
    return hasEnded;
  };
  return { isOver, waitMs: () => (isOver() ? 0 : lastMs - nowMs()), beginUntilMs };
}
