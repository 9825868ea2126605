/** A work waited for its slot for as long as it may. */
export class NoSlotError extends Error {
  override name = 'NoSlotError';
}

/** Lets a fixed number of works run at a time; others wait in the order they came. */
export interface Slots {
  /** @throws NoSlotError when the work has waited for `maxWaitMs` (default: for any time); it is not run then. */
  run<T>(work: () => Promise<T>, maxWaitMs?: number): Promise<T>;
  /** Slots that are free. */
  readonly idle: number;
  /** Works that wait. */
  readonly waiting: number;
}

/**
 * Makes `count` slots. The queue of the thread pool is not used in their place: with abortable tasks it serves the latest
 * first, and forgets those that wait when a thread dies while it loads.
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
