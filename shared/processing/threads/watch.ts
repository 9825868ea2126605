import { readThreadStatus, STOP_GRACE_MS, type StatusBuffer, type ThreadStatus } from '../thread/thread-status.ts';

const TICK_MS = 50;
/** Maximum time that one tick counts: a late one means that the whole process was frozen, its threads too. */
const MAX_STEP_MS = 1_000;
/** An asynchronous handler that exceeds its time is ended in the thread itself; only a blocked thread reaches this limit. */
const GRACE_MS = 2_000;
/** Loading a thread's file takes a fraction of a second; a machine that needs longer than this is too slow to wait for. */
export const START_MS = 20_000;
/** Decoding and encoding take milliseconds; only an endless `toJSON` or a thrashing heap takes this long. */
const OUTSIDE_MS = 60_000;

/** Returns whether a thread must be ended whose status has been the same for `sameForMs`. */
export function isStuck(status: ThreadStatus, sameForMs: number): boolean {
  if (status.sequence === 0) return sameForMs > START_MS;
  if (!status.isRunning) return sameForMs > OUTSIDE_MS;
  // A thread that waits for its handlers changes its status all the time: this one is blocked, and reads neither time nor
  // stop.
  return sameForMs > (status.stop === undefined ? status.timeoutMs + GRACE_MS : STOP_GRACE_MS[status.stop]);
}

/** Watches the status of a thread; calls `onStuck` once when it no longer changes. Returns a function that stops watching. */
export function watchThread(
  statusBuffer: StatusBuffer,
  clockMs: () => number,
  onStuck: (status: ThreadStatus) => void,
): () => void {
  let sequence = -1;
  let sameForMs = 0;
  let tickedMs = clockMs();
  const timer = setInterval(() => {
    const status = readThreadStatus(statusBuffer);
    const nowMs = clockMs();
    sameForMs = status.sequence === sequence ? sameForMs + Math.min(nowMs - tickedMs, MAX_STEP_MS) : 0;
    sequence = status.sequence;
    tickedMs = nowMs;
    if (isStuck(status, sameForMs)) {
      clearInterval(timer);
      onStuck(status);
    }
  }, TICK_MS);
  return () => clearInterval(timer);
}
