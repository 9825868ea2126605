import { readThreadStatus, STOP_GRACE_MS, type StatusBuffer, type ThreadStatus } from '../thread/thread-status.ts';

const TICK_MS = 50;
/** An asynchronous handler that overran its time is ended in the thread itself; only a blocked thread gets this far. */
const GRACE_MS = 2_000;
/** Loading a thread's file takes parts of a second; a machine that needs longer than this is not worth waiting for. */
export const START_MS = 20_000;
/** Decoding and encoding take milliseconds; only a value's endless `toJSON` or a thrashing heap takes this long. */
const OUTSIDE_MS = 60_000;

/** Whether a thread whose status has been the same for `sameForMs` has to be ended. */
export function isStuck(status: ThreadStatus, sameForMs: number): boolean {
  if (status.sequence === 0) return sameForMs > START_MS;
  if (!status.isRunning) return sameForMs > OUTSIDE_MS;
  // A thread that waits for its handlers moves all the time: this one is blocked, and sees neither time nor stop.
  return sameForMs > (status.stop === undefined ? status.timeoutMs + GRACE_MS : STOP_GRACE_MS[status.stop]);
}

/**
 * Watches the status of a thread; calls `onStuck` once when the thread no longer moves. Returns the function that stops
 * watching.
 */
export function watchThread(
  statusBuffer: StatusBuffer,
  clockMs: () => number,
  onStuck: (status: ThreadStatus) => void,
): () => void {
  let sequence = -1;
  let sinceMs = 0;
  const timer = setInterval(() => {
    const status = readThreadStatus(statusBuffer);
    if (status.sequence !== sequence) {
      sequence = status.sequence;
      sinceMs = clockMs();
    } else if (isStuck(status, clockMs() - sinceMs)) {
      clearInterval(timer);
      onStuck(status);
    }
  }, TICK_MS);
  return () => clearInterval(timer);
}
