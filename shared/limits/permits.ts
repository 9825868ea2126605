/**
 * The permits of one workload in one process: shared memory, so that threads take them without a message. The main thread
 * adds permits at the pace of the process's share; a thread takes one before it calls the handler.
 */

const AVAILABLE = 0;
const TAKEN = 1;
const IN_FLIGHT = 2;
const MAX_IN_FLIGHT = 3;
const HAS_RATE = 4;
const THROTTLED_MS = 5;
const SLOTS = 6;

/** Stands for "not limited" in a 32-bit counter. */
const UNLIMITED = 0x7fff_ffff;

/** Crosses the thread border as it is. */
export interface Permits {
  counters: Int32Array<SharedArrayBuffer>;
  /** In milliseconds of the clock that is one for all threads of a process: nothing is started after it. */
  until: BigInt64Array<SharedArrayBuffer>;
  /** Whether items take permits; else calls do. */
  isPerItem: boolean;
}

/** Makes permits of which none is given yet. */
export function createPermits(isPerItem: boolean): Permits {
  return {
    counters: new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)),
    until: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)),
    isPerItem,
  };
}

// ---- taken in threads

/** Takes what a call with `items` items needs; false when it has to wait. `nowMs` is of the process-wide clock. */
export function take({ counters, until, isPerItem }: Permits, items: number, nowMs: number): boolean {
  if (nowMs >= Number(Atomics.load(until, 0))) return false;
  const permits = isPerItem ? items : 1;
  const most = Atomics.load(counters, MAX_IN_FLIGHT);
  if (!change(counters, IN_FLIGHT, (inFlight) => (inFlight + items <= most ? inFlight + items : undefined)))
    return false;
  const hasRate = Atomics.load(counters, HAS_RATE) === 1;
  if (hasRate && !change(counters, AVAILABLE, (left) => (left >= permits ? left - permits : undefined))) {
    Atomics.sub(counters, IN_FLIGHT, items);
    return false;
  }
  Atomics.add(counters, TAKEN, permits);
  return true;
}

/** Releases what a call that took permits for `items` did not use: the handler was called with `usedItems`, or not at all. */
export function releaseUnused({ counters, isPerItem }: Permits, items: number, usedItems: number): void {
  const unused = isPerItem ? items - usedItems : 1 - Math.min(1, usedItems);
  if (unused <= 0) return;
  Atomics.sub(counters, TAKEN, unused);
  if (Atomics.load(counters, HAS_RATE) === 1) Atomics.add(counters, AVAILABLE, unused);
}

/** The items of a call are not in flight any more. */
export function endCall({ counters }: Permits, items: number): void {
  if (items > 0) Atomics.sub(counters, IN_FLIGHT, items);
}

/** Whether this process has a share at all: without one, waiting here may take long. */
export const hasShare = ({ counters }: Permits): boolean => Atomics.load(counters, MAX_IN_FLIGHT) > 0;

/** Records that the other side asks for `afterMs` of rest. */
export function reportThrottled({ counters }: Permits, afterMs: number): void {
  const ms = Math.min(UNLIMITED, Math.ceil(afterMs));
  change(counters, THROTTLED_MS, (longest) => (longest < ms ? ms : undefined));
}

/** Changes a counter atomically to what `next` gives; false when that is undefined, and nothing is changed. */
function change(counters: Int32Array, slot: number, next: (seen: number) => number | undefined): boolean {
  for (let seen = Atomics.load(counters, slot); ; ) {
    const value = next(seen);
    if (value === undefined) return false;
    const found = Atomics.compareExchange(counters, slot, seen, value);
    if (found === seen) return true;
    seen = found;
  }
}

// ---- given by the main thread

/** Sets what may be in flight (0: there is no share), whether calls take permits, and until when something may be started. */
export function setShare(
  { counters, until }: Permits,
  share: { inFlight: number; hasRate: boolean; untilMs: number },
): void {
  Atomics.store(counters, MAX_IN_FLIGHT, Math.min(UNLIMITED, share.inFlight));
  Atomics.store(counters, HAS_RATE, share.hasRate ? 1 : 0);
  Atomics.store(until, 0, BigInt(Math.floor(share.untilMs)));
}

/** Adds permits, as far as no more than `most` lie there unused. Where there are none, all were wanted: none is lost. */
export function addPermits({ counters }: Permits, n: number, most: number): void {
  const unused = Atomics.load(counters, AVAILABLE);
  const added = unused === 0 ? n : Math.min(n, most - unused);
  if (added > 0) Atomics.add(counters, AVAILABLE, added);
}

/** Takes away the permits that lie there unused. */
export function clearPermits({ counters }: Permits): void {
  Atomics.store(counters, AVAILABLE, 0);
}

/** Items in flight in this process. */
export const inFlightOf = ({ counters }: Permits): number => Atomics.load(counters, IN_FLIGHT);

/** Permits taken since the last call. */
export const readTaken = ({ counters }: Permits): number => Atomics.exchange(counters, TAKEN, 0);

/** For how long the other side wants to be left alone, in seconds; undefined if it has not throttled since the last call. */
export function readThrottled({ counters }: Permits): number | undefined {
  const ms = Atomics.exchange(counters, THROTTLED_MS, 0);
  return ms === 0 ? undefined : ms / 1_000;
}
