/** Lets a fixed number of works run at a time; others wait in the order they came. */
export interface Slots {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Slots that are free. */
  readonly idle: number;
  /** Works that wait. */
  readonly waiting: number;
}

/**
 * Makes `count` slots. The queue of the thread pool is not used in their place: with abortable tasks it serves the latest first, and forgets those that wait when a
 * thread dies while it loads.
 */
export function createSlots(count: number): Slots {
  let idle = count;
  const waiting: (() => void)[] = [];
  const take = async (): Promise<void> => {
    if (idle > 0) idle -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const give = (): void => {
    const next = waiting.shift();
    if (next) next();
    else idle += 1;
  };
  return {
    run: async (work) => {
      await take();
      try {
        return await work();
      } finally {
        give();
      }
    },
    get idle() {
      return idle;
    },
    get waiting() {
      return waiting.length;
    },
  };
}
