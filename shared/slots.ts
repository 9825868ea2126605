/** No slot was free within the maximum wait of a call. */
export class NoSlotError extends Error {
  override name = 'NoSlotError';
}

/** Runs a limited number of calls at the same time. Others wait in the order of their arrival. */
export interface Slots {
  /** @throws NoSlotError if no slot is free within `maxWaitMs` (default: no limit). Then `work` does not run. */
  run<T>(work: () => Promise<T>, maxWaitMs?: number): Promise<T>;
  /** Number of free slots. */
  readonly idle: number;
  /** Number of waiting calls. */
  readonly waiting: number;
}

/**
 * Creates `count` slots. The queue of the thread pool is not used instead: with abortable tasks it runs the latest task
 * first, and it loses waiting tasks when a thread dies while loading.
 */
export function createSlots(count: number): Slots {
  let idle = count;
  const waiting: (() => void)[] = [];
  const wait = (maxWaitMs: number | undefined): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(new NoSlotError(`No slot was free within ${maxWaitMs} ms.`));
    };
    const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
    const begin = (): void => {
      clearTimeout(timer);
      resolve();
    };
    waiting.push(begin);
    return promise;
  };
  const give = (): void => {
    const next = waiting.shift();
    if (next) next();
    else idle += 1;
  };
  return {
    run: async (work, maxWaitMs) => {
      if (idle > 0) idle -= 1;
      else await wait(maxWaitMs);
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
