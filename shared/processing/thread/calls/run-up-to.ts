import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Maximum time for which units that wait for nothing block the calls in flight. */
const TURN_MS = 20;

/** Interval at which a unit that was not admitted asks again. It also asks again when a unit in flight ends. */
const ASK_AGAIN_MS = 5;

/**
 * Starts the units in order, at most `limit` in flight at the same time, and waits for all. `start` returns a promise
 * only if there is something to wait for; otherwise, there is no await. A unit starts once `isAdmitted` returns true. If
 * absent, it starts immediately. After all units have ended, rejects with the first rejection.
 */
export async function runUpTo<T>(
  limit: number,
  units: Iterable<T>,
  start: (unit: T) => Promise<void> | undefined,
  isAdmitted?: (unit: T) => boolean,
): Promise<void> {
  const faults: unknown[] = [];
  let inFlight = 0;
  let wake: (() => void) | undefined;
  let turnMs = 0;
  const ended = (): void => {
    inFlight -= 1;
    wake?.();
  };
  const oneEnds = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  for (const unit of units) {
    while (isAdmitted?.(unit) === false) await Promise.race([oneEnds(), sleep(ASK_AGAIN_MS)]);
    const pending = start(unit);
    if (pending !== undefined) {
      if (inFlight === 0) turnMs = performance.now();
      inFlight += 1;
      void pending.catch((error: unknown) => faults.push(error)).then(ended);
      while (inFlight >= limit) await oneEnds();
    }
    // Also if all units return promises: those that wait for nothing end without a turn of the event loop.
    if (inFlight > 0 && performance.now() - turnMs > TURN_MS) {
      await nextTurn();
      turnMs = performance.now();
    }
  }
  while (inFlight > 0) await oneEnds();
  if (faults.length > 0) throw faults[0];
}
