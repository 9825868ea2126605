/** Depths of queues, with a memo: a recent measurement of this process is used again. */
import type { QueueClient } from '@azure/storage-queue';
import { unlessStatus } from '../errors.ts';

/** Messages in a queue, including invisible ones, and when they were counted (service time in milliseconds). */
export interface Depth {
  messages: number;
  atMs: number;
}

export interface RecentOptions {
  /** Maximum age of a measurement in milliseconds; 0 always measures. */
  maxAgeMs: number;
  /** A measurement from outside this process, such as the one that a drain has stored. */
  known?: Depth | undefined;
}

export type Depths = ReturnType<typeof createDepths>;

/** Creates the memo over `measure`; `now` returns service time in milliseconds. */
export function createDepths(measure: (queue: string) => Promise<number>, now: () => number) {
  const latest = new Map<string, Depth>();
  const measureNow = async (queue: string): Promise<Depth> => {
    // Taken before the request: a message that is put during the request may not be counted.
    const atMs = now();
    const depth = { messages: await measure(queue), atMs };
    latest.set(queue, depth);
    return depth;
  };
  return {
    /** Measures a queue now: one operation. */
    depthOf: async (queue: string): Promise<number> => (await measureNow(queue)).messages,
    /** Returns the latest known measurement if it is recent enough. Otherwise, measures. */
    recentDepth: async (queue: string, { maxAgeMs, known }: RecentOptions): Promise<Depth> => {
      const measured = latest.get(queue);
      const newest = measured !== undefined && measured.atMs >= (known?.atMs ?? 0) ? measured : known;
      return newest !== undefined && now() - newest.atMs < maxAgeMs ? newest : measureNow(queue);
    },
  };
}

/**
 * Returns the approximate message count; 0 for a queue that does not exist (yet). It is never lower than the number of
 * messages, so 0 means empty (source: Microsoft Learn, Get Queue Metadata, x-ms-approximate-messages-count).
 */
export const queueDepth = async (queue: Pick<QueueClient, 'getProperties'>): Promise<number> =>
  (await unlessStatus([404], queue.getProperties()))?.approximateMessagesCount ?? 0;
