/** Depths of queues, with a memo: what this process has measured is not measured again while it is recent. */

/** Messages in a queue, invisible ones included, and when they were counted (service time in milliseconds). */
export interface Depth {
  messages: number;
  atMs: number;
}

/** Which measurement is good enough. */
export interface RecentOptions {
  /** Age from which on the queue is measured again; 0 measures in any case. */
  maxAgeMs: number;
  /** A measurement of somebody else, such as the one that a drain has stored. */
  known?: Depth | undefined;
}

export interface Depths {
  /** Measures a queue now: one operation. */
  depthOf: (queue: string) => Promise<number>;
  /** Gives the latest measurement that is known if it is recent enough, else measures. */
  recentDepth: (queue: string, options: RecentOptions) => Promise<Depth>;
}

/** Makes the memo over `measure`; `now` is service time in milliseconds. */
export function createDepths(measure: (queue: string) => Promise<number>, now: () => number): Depths {
  const latest = new Map<string, Depth>();
  const measureNow = async (queue: string): Promise<Depth> => {
    // Before the request: a message that is put while it is under way may be missing.
    const atMs = now();
    const depth = { messages: await measure(queue), atMs };
    latest.set(queue, depth);
    return depth;
  };
  return {
    depthOf: async (queue) => (await measureNow(queue)).messages,
    recentDepth: async (queue, { maxAgeMs, known }) => {
      const own = latest.get(queue);
      const newest = own !== undefined && own.atMs >= (known?.atMs ?? 0) ? own : known;
      return newest !== undefined && now() - newest.atMs < maxAgeMs ? newest : measureNow(queue);
    },
  };
}
