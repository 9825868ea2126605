import { createSlots } from '../slots.ts';

export type SharedLock = ReturnType<typeof createSharedLock>;

/** More than can ever share the lock. */
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * Creates a lock that many can share, or that one holds exclusively. A chunk that was running when a process crashed runs
 * alone, so that the next crash has one possible cause. It serves callers in order: an exclusive one waits for all before it,
 * and all behind it wait for it. If it is not free within `maxWaitMs` (default: no limit), a call rejects with NoSlotError,
 * and `fn` does not run.
 */
export function createSharedLock() {
  const slots = createSlots(ALL);
  const lock =
    (needed: number) =>
    <T>(fn: () => Promise<T>, maxWaitMs?: number): Promise<T> =>
      slots.run(fn, { maxWaitMs, needed });
  return { shared: lock(1), exclusive: lock(ALL) };
}
