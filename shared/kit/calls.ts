/** Counts the calls of a workload's handler, in memory that outlives a thread, and cancels the batch at one of them. */

import { followStop, type Stop } from '../processing/thread/thread-status.ts';
import type { ThreadTask } from '../processing/thread/thread-task.ts';
import type { ItemContext, Workload } from '../workload/define.ts';
import { isPromise } from '../workload/validate-item.ts';

export interface CallCounters {
  /** Calls, and the latest attempt, by position. */
  calls: Int32Array<SharedArrayBuffer>;
  attempts: Int32Array<SharedArrayBuffer>;
  /** Total number of calls of the handler, and the maximum at the same time. */
  totals: Int32Array<SharedArrayBuffer>;
  /** The call at which the batch is cancelled. */
  cancelAt: number;
}

const ALL = 0;
const MAX_IN_FLIGHT = 1;

const shared = (length: number): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));

/** Creates the counters of a batch. */
export const createCallCounters = (items: number, cancelAt = Number.POSITIVE_INFINITY): CallCounters => ({
  calls: shared(items),
  attempts: shared(items),
  totals: shared(2),
  cancelAt,
});

/** Reads the fields of a RunResult that are counted here. */
export const readCalls = ({
  calls,
  attempts,
  totals,
}: CallCounters): { calls: number[]; maxInFlight: number; retried: number } => ({
  calls: [...calls],
  maxInFlight: Atomics.load(totals, MAX_IN_FLIGHT),
  retried: attempts.reduce((sum, attempt) => sum + Math.max(0, attempt - 1), 0),
});

/**
 * Returns the workload with a handler that counts, for one thread. `stop` is aborted, with a Stop, when the batch is
 * cancelled.
 */
export function countCalls(
  workload: Workload,
  { calls, attempts, totals, cancelAt }: CallCounters,
): { workload: Workload; stop: AbortSignal } {
  const stop = new AbortController();
  const cancelWhenDue = (): void => {
    if (Atomics.load(totals, ALL) >= cancelAt) stop.abort('cancelled' satisfies Stop);
  };
  let inFlight = 0;
  const enter = (contexts: readonly ItemContext[]): void => {
    inFlight += 1;
    for (const { position, attempt } of contexts) {
      Atomics.add(calls, position, 1);
      Atomics.store(attempts, position, attempt);
    }
    Atomics.add(totals, ALL, 1);
    Atomics.store(totals, MAX_IN_FLIGHT, Math.max(inFlight, Atomics.load(totals, MAX_IN_FLIGHT)));
    cancelWhenDue();
  };
  const leave = (): void => {
    inFlight -= 1;
  };
  // A proxy keeps all other properties of the handler.
  const counted = <Handler extends (input: never, context: never) => unknown>(
    handler: Handler,
    contextsOf: (context: Parameters<Handler>[1]) => readonly ItemContext[],
  ): Handler =>
    new Proxy(handler, {
      apply: (target, self, args: Parameters<Handler>) => {
        enter(contextsOf(args[1]));
        return endOf(() => Reflect.apply(target, self, args), leave);
      },
    });
  const { map, mapChunk } = workload;
  cancelWhenDue();
  return {
    workload: {
      ...workload,
      ...(map && { map: counted(map, (context) => [context]) }),
      ...(mapChunk && { mapChunk: counted(mapChunk, (contexts) => contexts) }),
    },
    stop: stop.signal,
  };
}

/** Calls `onEnd` when the call has ended. */
function endOf(call: () => unknown, onEnd: () => void): unknown {
  let isPending = false;
  try {
    const result = call();
    if (!isPromise(result)) return result;
    isPending = true;
    // Its `then` is called only once, because some queries run at each call.
    const pending = Promise.resolve(result);
    void pending.then(onEnd, onEnd);
    return pending;
  } finally {
    if (!isPending) onEnd();
  }
}

/** Runs a task, and asks it to end early once `stop` is aborted with a Stop as its reason, as the processor does. */
export async function whileFollowing<T>(
  { statusBuffer }: ThreadTask,
  stop: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const unfollow = followStop(statusBuffer, stop);
  try {
    return await run();
  } finally {
    unfollow();
  }
}
