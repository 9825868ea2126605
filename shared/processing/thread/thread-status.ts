/**
 * The status of a thread: shared memory in which it records what it runs, so that the main thread can tell a stuck
 * thread, and a dead one names its item. The sequence grows with every change, so "nothing has moved" needs no clock in
 * the thread.
 */
const SEQUENCE = 0;
const POSITION = 1;
const TIMEOUT_MS = 2;
const LINES = 3;
const DROPPED = 4;
const SLOTS = 5;

/** Position while no user code runs: reading the frame, writing the outcome. */
export const OUTSIDE = -1;
/** Position while `mapChunk` has the whole chunk. */
export const WHOLE_CHUNK = -2;

export type StatusBuffer = Int32Array<SharedArrayBuffer>;

/** What a status buffer holds. `sequence` 0: the thread has not begun. `position` is the item's line in its frame. */
export interface ThreadStatus {
  sequence: number;
  position: number;
  timeoutMs: number;
  lines: number;
  dropped: number;
}

/** A fresh status buffer. Each run has its own: a thread that is being terminated may still write to the one it had. */
export function createStatusBuffer(lines = 0, dropped = 0): StatusBuffer {
  const statusBuffer = new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT));
  statusBuffer[POSITION] = OUTSIDE;
  statusBuffer[LINES] = lines;
  statusBuffer[DROPPED] = dropped;
  return statusBuffer;
}

/** Records that the thread has begun, and how long one position may take. */
export function begin(statusBuffer: StatusBuffer, timeoutMs: number): void {
  Atomics.store(statusBuffer, TIMEOUT_MS, Math.ceil(timeoutMs));
  Atomics.add(statusBuffer, SEQUENCE, 1);
}

/** Records what the thread turns to: a line of the frame, WHOLE_CHUNK or OUTSIDE. */
export function enter(statusBuffer: StatusBuffer, position: number): void {
  Atomics.store(statusBuffer, POSITION, position);
  Atomics.add(statusBuffer, SEQUENCE, 1);
}

/** Counts a log line; false when it is one too many and must be dropped. */
export function admitLine(statusBuffer: StatusBuffer, most: number): boolean {
  if (Atomics.load(statusBuffer, LINES) >= most) {
    Atomics.add(statusBuffer, DROPPED, 1);
    return false;
  }
  Atomics.add(statusBuffer, LINES, 1);
  return true;
}

/** Reads the whole status. */
export const readThreadStatus = (statusBuffer: StatusBuffer): ThreadStatus => ({
  sequence: Atomics.load(statusBuffer, SEQUENCE),
  position: Atomics.load(statusBuffer, POSITION),
  timeoutMs: Atomics.load(statusBuffer, TIMEOUT_MS),
  lines: Atomics.load(statusBuffer, LINES),
  dropped: Atomics.load(statusBuffer, DROPPED),
});
