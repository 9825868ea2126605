/**
 * The status of a thread: shared memory in which the thread records what it runs. With it, the main thread detects a
 * stuck thread, asks it to stop, and knows the state of each item if it dies. The sequence grows with every change, so
 * the main thread sees that nothing has moved, and the thread needs no clock.
 */
const SEQUENCE = 0;
const IS_RUNNING = 1;
const TIMEOUT_MS = 2;
const COPIES = 3;
const STOP = 4;
const IS_USED = 5;
const SLOTS = 6;

/** The states of an item in a run. */
export const NOT_BEGUN = 0;
export const IN_FLIGHT = 1;
/** In flight alone, and the first one that was called in its thread. */
export const ALONE = 2;
/** Ended with a result. */
export const ENDED = 3;
/** Ended as a dead letter. */
export const DEAD = 4;
/** An attempt has failed; the item is tried again, in another chunk. */
export const FAILED = 5;
/** The called service has throttled the call; the item is tried again, in another chunk, uncharged. */
export const THROTTLED = 6;

/** Returns whether the handler was called for an item in this state, and has not ended. */
export const isInFlight = (state: number | undefined): boolean => state === IN_FLIGHT || state === ALONE;

/** Why a chunk must end early: its batch is being cancelled, or its instance is being stopped. */
export type Stop = 'cancelled' | 'returned';
const STOPS: readonly (Stop | undefined)[] = [undefined, 'cancelled', 'returned'];

/** Grace for calls in flight after a stop. Azure allows five seconds in total (azure-functions-nodejs-worker). */
export const STOP_GRACE_MS: Readonly<Record<Stop, number>> = { cancelled: 5_000, returned: 3_000 };

/** The shared memory of one run: counters, and a state for each item of the chunk. */
export interface StatusBuffer {
  counters: Int32Array<SharedArrayBuffer>;
  items: Uint8Array<SharedArrayBuffer>;
}

/** The progress of a running chunk. Counts are of items. */
export interface ChunkProgress {
  items: number;
  /** Items with a result or a dead letter. */
  ended: number;
  inFlight: number;
  /** Items whose attempt has failed, and dead letters. */
  failing: number;
  /** The latest failure that has left the thread, on one line. */
  error?: string | undefined;
}

/** The values of the counters. `sequence` is 0 before the thread has begun. `copies` is the number of copies it has sent. */
export interface ThreadStatus {
  sequence: number;
  /** Whether user code may be running. False while the frame is read and while the outcome is written. */
  isRunning: boolean;
  timeoutMs: number;
  copies: number;
  stop: Stop | undefined;
  /** Whether the thread has ended itself, because the chunk requires a fresh one. */
  isUsed: boolean;
}

/**
 * Creates the status of a run with this number of items. Each run has its own: a thread that is being terminated may
 * still write to it.
 */
export const createStatusBuffer = (items: number): StatusBuffer => ({
  counters: new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)),
  items: new Uint8Array(new SharedArrayBuffer(items)),
});

/** Records that the thread has begun, and the time limit of one call of the handler. */
export function begin({ counters }: StatusBuffer, timeoutMs: number): void {
  Atomics.store(counters, TIMEOUT_MS, Math.ceil(timeoutMs));
  Atomics.add(counters, SEQUENCE, 1);
}

/** Records whether the thread runs user code. */
export function setRunning({ counters }: StatusBuffer, isRunning: boolean): void {
  Atomics.store(counters, IS_RUNNING, isRunning ? 1 : 0);
  Atomics.add(counters, SEQUENCE, 1);
}

/** Records that the handler is called for the item at `slot`. */
export function enter({ counters, items }: StatusBuffer, slot: number, isAlone: boolean): void {
  items[slot] = isAlone ? ALONE : IN_FLIGHT;
  Atomics.add(counters, SEQUENCE, 1);
}

/** Records that the thread is alive, while it waits for handlers. */
export function showAlive({ counters }: StatusBuffer): void {
  Atomics.add(counters, SEQUENCE, 1);
}

/** Records that a copy is being sent to the main thread. */
export function countCopy({ counters }: StatusBuffer): void {
  Atomics.add(counters, COPIES, 1);
}

/** Counts the items of a run by their state. */
export function countItems({ items }: StatusBuffer): Omit<ChunkProgress, 'error'> {
  const counts = new Uint32Array(THROTTLED + 1);
  for (const state of items) counts[state] = (counts[state] ?? 0) + 1;
  const [, inFlight = 0, alone = 0, ended = 0, dead = 0, failed = 0] = counts;
  return { items: items.length, ended: ended + dead, inFlight: inFlight + alone, failing: dead + failed };
}

/**
 * Asks the thread to end its chunk early once `signal` is aborted with a Stop as its reason. Returns a function that
 * stops listening.
 */
export function followStop({ counters }: StatusBuffer, signal: AbortSignal | undefined): () => void {
  const pass = (): void => void Atomics.store(counters, STOP, STOPS.indexOf(signal?.reason as Stop));
  if (signal?.aborted) pass();
  signal?.addEventListener('abort', pass);
  return () => signal?.removeEventListener('abort', pass);
}

/** Records that the thread ends itself, so that the chunk gets a fresh one. */
export function setUsed({ counters }: StatusBuffer): void {
  Atomics.store(counters, IS_USED, 1);
}

/** Returns why the chunk must end early; undefined if it need not. */
export const stopOf = ({ counters }: StatusBuffer): Stop | undefined => STOPS[Atomics.load(counters, STOP)];

export const readThreadStatus = ({ counters }: StatusBuffer): ThreadStatus => ({
  sequence: Atomics.load(counters, SEQUENCE),
  isRunning: Atomics.load(counters, IS_RUNNING) === 1,
  timeoutMs: Atomics.load(counters, TIMEOUT_MS),
  copies: Atomics.load(counters, COPIES),
  stop: STOPS[Atomics.load(counters, STOP)],
  isUsed: Atomics.load(counters, IS_USED) === 1,
});
