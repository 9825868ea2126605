/**
 * The permits of one workload in one process, in shared memory, so that threads take them without a message. The main
 * thread adds permits at the rate of the process's share; a thread takes one before it calls the handler.
 */

const AVAILABLE = 0;
const TAKEN = 1;
const IN_FLIGHT = 2;
const MAX_IN_FLIGHT = 3;
const HAS_RATE = 4;
const THROTTLED_MS = 5;
const SLOTS = 6;

/** Means "not limited" in a 32-bit counter. */
const UNLIMITED = 0x7fff_ffff;

/** Passed to threads as it is. */
export interface Permits {
  counters: Int32Array<SharedArrayBuffer>;
  /** Milliseconds of the clock that all threads of a process share. Nothing starts after this time. */
  until: BigInt64Array<SharedArrayBuffer>;
  /** Whether items take permits. Otherwise, calls do. */
  isPerItem: boolean;
}

/** Creates permits, of which none is available yet. */
export function createPermits(isPerItem: boolean): Permits {
  return {
    counters: new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)),
    until: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)),
    isPerItem,
  };
}

// ---- used by threads

/**
 * Takes the permits for a call with `items` items. Returns false if the call must wait. `nowMs` is of the process-wide
 * clock.
 */
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

/**
 * Releases the permits that a call took for `items` and did not use: the handler was called with `usedItems`, or not at
 * all.
 */
export function releaseUnused({ counters, isPerItem }: Permits, items: number, usedItems: number): void {
  const unused = isPerItem ? items - usedItems : 1 - Math.min(1, usedItems);
  if (unused <= 0) return;
  Atomics.sub(counters, TAKEN, unused);
  if (Atomics.load(counters, HAS_RATE) === 1) Atomics.add(counters, AVAILABLE, unused);
}

/** Subtracts the items of a finished call from those in flight. */
export function endCall({ counters }: Permits, items: number): void {
  if (items > 0) Atomics.sub(counters, IN_FLIGHT, items);
}

/** Whether this process has a share. Without one, a wait may be long. */
export const hasShare = ({ counters }: Permits): boolean => Atomics.load(counters, MAX_IN_FLIGHT) > 0;

/** Records that the other side asked for no calls for `afterMs`. */
export function reportThrottled({ counters }: Permits, afterMs: number): void {
  const ms = Math.min(UNLIMITED, Math.ceil(afterMs));
  change(counters, THROTTLED_MS, (longest) => (longest < ms ? ms : undefined));
}

/** Changes a counter atomically to the result of `next`. If that is undefined, returns false and changes nothing. */
function change(counters: Int32Array, slot: number, next: (seen: number) => number | undefined): boolean {
  for (let seen = Atomics.load(counters, slot); ; ) {
    const value = next(seen);
    if (value === undefined) return false;
    const found = Atomics.compareExchange(counters, slot, seen, value);
    if (found === seen) return true;
    seen = found;
  }
}

// ---- used by the main thread

/**
 * Sets the maximum number of items in flight (0 means no share), whether calls take permits, and until when calls may
 * start.
 */
export function setShare(
  { counters, until }: Permits,
  share: { inFlight: number; hasRate: boolean; untilMs: number },
): void {
  Atomics.store(counters, MAX_IN_FLIGHT, Math.min(UNLIMITED, share.inFlight));
  Atomics.store(counters, HAS_RATE, share.hasRate ? 1 : 0);
  Atomics.store(until, 0, BigInt(Math.floor(share.untilMs)));
}

/**
 * Adds permits, so that at most `most` are unused. If none is unused, adds all `n`, because all previous ones were
 * needed.
 */
export function addPermits({ counters }: Permits, n: number, most: number): void {
  const unused = Atomics.load(counters, AVAILABLE);
  const added = unused === 0 ? n : Math.min(n, most - unused);
  if (added > 0) Atomics.add(counters, AVAILABLE, added);
}

/** Removes all unused permits. */
export function clearPermits({ counters }: Permits): void {
  Atomics.store(counters, AVAILABLE, 0);
}

/** Items in flight in this process. */
export const inFlightOf = ({ counters }: Permits): number => Atomics.load(counters, IN_FLIGHT);

/** Returns the number of permits taken since the last call. */
export const readTaken = ({ counters }: Permits): number => Atomics.exchange(counters, TAKEN, 0);

/**
 * Returns for how many seconds the other side asked for no calls; undefined if it has not throttled since the last
 * call.
 */
export function readThrottled({ counters }: Permits): number | undefined {
  const ms = Atomics.exchange(counters, THROTTLED_MS, 0);
  return ms === 0 ? undefined : ms / 1_000;
}
