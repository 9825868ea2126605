/** No slot was free within the maximum wait of a call. */
export class NoSlotError extends Error {
  override name = 'NoSlotError';
}

/** Runs a limited number of calls at the same time. Others wait in the order of their arrival. */
export interface Slots {
  /** @throws NoSlotError if no slot is free within `maxWaitMs`. Then `work` does not run. */
  run<T>(work: () => Promise<T>, options?: SlotOptions): Promise<T>;
  /** Number of free slots. */
  readonly idle: number;
  /** Number of waiting calls. */
  readonly waiting: number;
}

/** How a call waits for a slot. */
export interface SlotOptions {
  /** Defaults to no limit. */
  maxWaitMs?: number;
  /** The call no longer waits when it is aborted, and rejects with the reason. A running call is not ended. No default. */
  signal?: AbortSignal;
  /** Calls of this kind together hold fewer slots than there are; calls behind them do not wait for them. No default. */
  share?: Share;
}

/** A part of the slots: the number of calls of one kind that may begin now. */
export interface Share {
  idle: number;
}

/**
 * Creates `count` slots. The queue of the thread pool is not used instead: with abortable tasks it runs the latest task
 * first, and it loses waiting tasks when a thread dies while loading.
 */
export function createSlots(count: number): Slots {
  let idle = count;
  const waiting: { share: Share; begin: () => void }[] = [];
  const canBegin = ({ idle: left }: Share): boolean => idle > 0 && left > 0;
  const wait = (share: Share, { maxWaitMs, signal }: SlotOptions): Promise<void> => {
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
    };
    const onTime = (): void => giveUp(new NoSlotError(`No slot was free within ${maxWaitMs} ms.`));
    const timer = maxWaitMs === undefined ? undefined : setTimeout(onTime, maxWaitMs);
    const onAbort = (): void => giveUp(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const begin = (): void => {
      stop();
      resolve();
    };
    const call = { share, begin };
    waiting.push(call);
    return promise;
  };
  const take = (share: Share): void => {
    idle -= 1;
    share.idle -= 1;
  };
  const give = (share: Share): void => {
    idle += 1;
    share.idle += 1;
    const at = waiting.findIndex((call) => canBegin(call.share));
    const [next] = at < 0 ? [] : waiting.splice(at, 1);
    if (!next) return;
    take(next.share);
    next.begin();
  };
  return {
    run: async (work, options = {}) => {
      const { share = { idle: count } } = options;
      if (canBegin(share)) take(share);
      else await wait(share, options);
      try {
        return await work();
      } finally {
        give(share);
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
