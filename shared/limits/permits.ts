/**
 * The permits of one workload in one process, in shared memory, so that threads take them without a message. The main
 * thread adds permits at the rate of the process's share; a thread takes one before it calls the handler.
 */

const AVAILABLE = 0;
const TAKEN = 1;
const MAX_IN_FLIGHT = 2;
const HAS_RATE = 3;
const THROTTLED_MS = 4;
/** Number of entries of `inFlight` that have been used. */
const RUNS = 5;
const SLOTS = 6;

/** Maximum number of threads in which chunks of a workload run at the same time: more than a process starts. */
const MAX_RUNS = 256;

/** Means "not limited" in a 32-bit counter. */
const UNLIMITED = 0x7fff_ffff;

/** Passed to threads as it is. */
export interface Permits {
  counters: Int32Array<SharedArrayBuffer>;
  /**
   * Items in flight, separately for each thread that runs a chunk. A single number would stay wrong after the
   * death of a thread between a change of it and the record of who made the change.
   */
  inFlight: Int32Array<SharedArrayBuffer>;
  /** The index in `inFlight` of the run that uses these permits. */
  run: number;
  /** Milliseconds of the clock that all threads of a process share. Nothing starts after this time. */
  until: BigInt64Array<SharedArrayBuffer>;
  /** Whether items take permits. Otherwise, calls do. */
  isPerItem: boolean;
}

/** Creates permits, of which none is available yet. */
export function createPermits(isPerItem: boolean): Permits {
  return {
    counters: new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT)),
    inFlight: new Int32Array(new SharedArrayBuffer(MAX_RUNS * Int32Array.BYTES_PER_ELEMENT)),
    run: 0,
    until: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)),
    isPerItem,
  };
}

/** Items in flight in this process. */
export function inFlightOf({ counters, inFlight }: Permits): number {
  let items = 0;
  for (let run = Math.max(1, Atomics.load(counters, RUNS)) - 1; run >= 0; run -= 1)
    items += Atomics.load(inFlight, run);
  return items;
}

// ---- used by threads

/**
 * Takes the permits for a call with `items` items. Returns false if the call must wait. `nowMs` is of the process-wide
 * clock.
 */
export function take(permits: Permits, items: number, nowMs: number): boolean {
  const { counters, inFlight, run, until, isPerItem } = permits;
  if (nowMs >= Number(Atomics.load(until, 0))) return false;
  const most = Atomics.load(counters, MAX_IN_FLIGHT);
  if (inFlightOf(permits) + items > most) return false;
  // Added before the sum is checked: of two threads that take the last permits at the same time, at least one sees both.
  Atomics.add(inFlight, run, items);
  const price = isPerItem ? items : 1;
  const hasRate = Atomics.load(counters, HAS_RATE) === 1;
  const isTaken =
    inFlightOf(permits) <= most &&
    (!hasRate || change(counters, AVAILABLE, (left) => (left >= price ? left - price : undefined)));
  if (isTaken) Atomics.add(counters, TAKEN, price);
  else Atomics.sub(inFlight, run, items);
  return isTaken;
}

/**
 * Ends a call that took permits for `items`: subtracts them from those in flight, and releases the permits that it did not
 * use. The handler was called with `usedItems` (default: all), or not at all (0).
 */
export function endCall(permits: Permits, items: number, usedItems = items): void {
  const { counters, inFlight, run, isPerItem } = permits;
  const unused = isPerItem ? items - usedItems : 1 - Math.min(1, usedItems);
  if (unused > 0) {
    Atomics.sub(counters, TAKEN, unused);
    if (Atomics.load(counters, HAS_RATE) === 1) Atomics.add(counters, AVAILABLE, unused);
  }
  Atomics.sub(inFlight, run, items);
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

/** Returns the permits for a run in another thread; `run` is a number that no other run with these permits has. */
export function permitsOfRun(permits: Permits, run: number): Permits {
  if (run >= MAX_RUNS) throw new RangeError(`At most ${MAX_RUNS} threads can share permits.`);
  change(permits.counters, RUNS, (used) => (used <= run ? run + 1 : undefined));
  return { ...permits, run };
}

/** Ends the calls of a run whose thread has died: nothing that it had begun is in flight any more. */
export function endRun({ inFlight, run }: Permits): void {
  Atomics.store(inFlight, run, 0);
}

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
