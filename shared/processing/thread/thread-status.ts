/**
 * The status of a thread: shared memory in which it records what it runs, so that the main thread can distinguish a stuck
 * thread, ask it to stop, and knows what became of each item when it dies. The sequence grows with every change, so
 * "nothing has moved" needs no clock in the thread.
 */
const SEQUENCE = 0;
const IS_RUNNING = 1;
const TIMEOUT_MS = 2;
const LINES = 3;
const DROPPED = 4;
const COPIES = 5;
const STOP = 6;
const IS_USED = 7;
const HELD = 8;
const SLOTS = 9;

/** What has become of an item, by its place in the chunk. */
export const NOT_BEGUN = 0;
export const IN_FLIGHT = 1;
/** In flight as the only one, in the round of those that are run alone. */
export const ALONE = 2;
/** Ended with a result. */
export const ENDED = 3;
/** Ended as a dead letter. */
export const DEAD = 4;
/** An attempt has failed; the item is tried again, in another chunk. */
export const FAILED = 5;
/** The other side has throttled the call; the item is tried again, in another chunk, uncharged. */
export const THROTTLED = 6;

/** Whether the handler had been called for an item in this state, and had not ended. */
export const isInFlight = (state: number | undefined): boolean => state === IN_FLIGHT || state === ALONE;

/** Whether the handler had been called for an item in this state, and had ended. */
export const hasEnded = (state: number): boolean => state >= ENDED;

/** Why a chunk is to end early: its batch is being cancelled, or its instance is being stopped. */
export type Stop = 'cancelled' | 'returned';
const STOPS: readonly (Stop | undefined)[] = [undefined, 'cancelled', 'returned'];

/**
 * How long calls in flight have to end once their chunk is to end. Of an instance less: Azure gives it five seconds in all
 * (azure-functions-nodejs-worker: WorkerTerminate).
 */
export const STOP_GRACE_MS: Readonly<Record<Stop, number>> = { cancelled: 5_000, returned: 3_000 };

/** The shared memory of one run: counters, and a state for each item of the chunk. */
export interface StatusBuffer {
  counters: Int32Array<SharedArrayBuffer>;
  items: Uint8Array<SharedArrayBuffer>;
}

/** How far a running chunk is. Counts are of items. */
export interface ChunkProgress {
  items: number;
  /** Those with a result or a dead letter. */
  ended: number;
  inFlight: number;
  /** Those whose attempt has failed, and dead letters. */
  failing: number;
  /** The latest failure that has left the thread, on one line. */
  error?: string | undefined;
}

/** What the counters hold. `sequence` 0: the thread has not begun. `copies`: how many it has sent. */
export interface ThreadStatus {
  sequence: number;
  /** Whether user code may be running: not while the frame is read and the outcome written. */
  isRunning: boolean;
  timeoutMs: number;
  lines: number;
  dropped: number;
  copies: number;
  stop: Stop | undefined;
  /** The thread has ended itself, because the chunk asks for a fresh one. */
  isUsed: boolean;
}

/** A fresh status of `items` items. Each run has its own: a thread that is being terminated may still write to the one it had. */
export function createStatusBuffer(items: number, { lines = 0, dropped = 0 } = {}): StatusBuffer {
  const counters = new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT));
  counters[LINES] = lines;
  counters[DROPPED] = dropped;
  return { counters, items: new Uint8Array(new SharedArrayBuffer(items)) };
}

/** Records that the thread has begun, and how long one call of the handler may take. */
export function begin({ counters }: StatusBuffer, timeoutMs: number): void {
  Atomics.store(counters, TIMEOUT_MS, Math.ceil(timeoutMs));
  Atomics.add(counters, SEQUENCE, 1);
}

/** Records whether the thread has turned to user code. */
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

/** Records that a copy is on its way to the main thread. */
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

/** Counts items that a call holds of its workload's limits, or returns. */
export function addHeld({ counters }: StatusBuffer, items: number): void {
  Atomics.add(counters, HELD, items);
}

/** Items that a run holds of its workload's limits: more than none after its end if its thread has died. */
export const heldOf = ({ counters }: StatusBuffer): number => Atomics.load(counters, HELD);

/** Asks the thread to end its chunk early once `signal` is aborted; its reason is a Stop. Gives the way to end that. */
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

/** Whether, and why, the chunk is to end early. */
export const stopOf = ({ counters }: StatusBuffer): Stop | undefined => STOPS[Atomics.load(counters, STOP)];

/** Counts a log line; false when it is one too many and must be dropped. */
export function admitLine({ counters }: StatusBuffer, most: number): boolean {
  if (Atomics.load(counters, LINES) >= most) {
    Atomics.add(counters, DROPPED, 1);
    return false;
  }
  Atomics.add(counters, LINES, 1);
  return true;
}

/** Reads all counters. */
export const readThreadStatus = ({ counters }: StatusBuffer): ThreadStatus => ({
  sequence: Atomics.load(counters, SEQUENCE),
  isRunning: Atomics.load(counters, IS_RUNNING) === 1,
  timeoutMs: Atomics.load(counters, TIMEOUT_MS),
  lines: Atomics.load(counters, LINES),
  dropped: Atomics.load(counters, DROPPED),
  copies: Atomics.load(counters, COPIES),
  stop: STOPS[Atomics.load(counters, STOP)],
  isUsed: Atomics.load(counters, IS_USED) === 1,
});
