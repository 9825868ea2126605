/** No slot was free within the maximum wait of a call. */
export class NoSlotError extends Error {
  override name = 'NoSlotError';
}

/** Runs a limited number of calls at the same time. Others wait in the order of their arrival. */
export interface Slots {
  /** @throws NoSlotError if the slots are not free within `maxWaitMs`. Then `work` does not run. */
  run<T>(work: () => Promise<T>, options?: SlotOptions): Promise<T>;
  readonly idle: number;
  readonly waiting: number;
}

/** How a call waits for a slot. */
export interface SlotOptions {
  /** Defaults to no limit (Infinity). */
  maxWaitMs?: number | undefined;
  /** The call no longer waits when it is aborted, and rejects with the reason. A running call is not ended. No default. */
  signal?: AbortSignal;
  /** Calls of this kind together hold fewer slots than there are; calls behind them do not wait for them. No default. */
  sublimit?: Sublimit;
  /** Number of slots that the call occupies; calls behind it wait for it. Defaults to 1. */
  needed?: number;
}

interface Call {
  sublimit: Sublimit;
  needed: number;
}

/** A limit within that of the slots: the number of calls of one kind that may begin now. */
export interface Sublimit {
  idle: number;
}

/**
 * Creates `count` slots. The queue of the thread pool is not used instead: with abortable tasks it runs the latest task
 * first, and it loses waiting tasks when a thread dies while loading.
 */
export function createSlots(count: number): Slots {
  let idle = count;
  const waiting: (Call & { begin: () => void })[] = [];
  /** Returns the first call that waits for slots, and not for its sublimit. */
  const first = () => waiting.find(({ sublimit }) => sublimit.idle > 0);
  const take = ({ sublimit, needed }: Call): void => {
    idle -= needed;
    sublimit.idle -= 1;
  };
  const admit = (): void => {
    for (let next = first(); next !== undefined && next.needed <= idle; next = first()) {
      waiting.splice(waiting.indexOf(next), 1);
      take(next);
      next.begin();
    }
  };
  const wait = (asked: Call, { maxWaitMs = Number.POSITIVE_INFINITY, signal }: SlotOptions): Promise<void> => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (reason: unknown): void => {
      stop();
      waiting.splice(waiting.indexOf(call), 1);
      reject(reason);
      // Those behind it may need fewer slots.
      admit();
    };
    const onTime = (): void => giveUp(new NoSlotError(`No slot was free within ${maxWaitMs} ms.`));
    const timer = maxWaitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(onTime, maxWaitMs);
    const onAbort = (): void => giveUp(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const begin = (): void => {
      stop();
      resolve();
    };
    const call = { ...asked, begin };
    waiting.push(call);
    return promise;
  };
  const give = ({ sublimit, needed }: Call): void => {
    idle += needed;
    sublimit.idle += 1;
    admit();
  };
  return {
    run: async (work, options = {}) => {
      const { sublimit = { idle: count }, needed = 1 } = options;
      const call = { sublimit, needed };
      if (first() === undefined && sublimit.idle > 0 && needed <= idle) take(call);
      else await wait(call, options);
      try {
        return await work();
      } finally {
        give(call);
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
