import { createSlots } from '../slots.ts';

/**
 * A lock that many can share, or that one holds exclusively. A chunk that was running when a process crashed runs alone,
 * so that the next crash has one possible cause.
 */
export interface SharedLock {
  /** @throws NoSlotError if the lock is not free within `maxWaitMs` (default: no limit). Then `fn` does not run. */
  shared: <T>(fn: () => Promise<T>, maxWaitMs?: number) => Promise<T>;
  /** @throws NoSlotError as `shared` does. */
  exclusive: <T>(fn: () => Promise<T>, maxWaitMs?: number) => Promise<T>;
}

/** More than can ever share the lock. */
const ALL = Number.MAX_SAFE_INTEGER;

/** Creates a lock that serves callers in order: an exclusive one waits for all before it, and all behind it wait for it. */
export function createSharedLock(): SharedLock {
  const slots = createSlots(ALL);
  return {
    shared: (fn, maxWaitMs) => slots.run(fn, { maxWaitMs }),
    exclusive: (fn, maxWaitMs) => slots.run(fn, { maxWaitMs, needed: ALL }),
  };
}
