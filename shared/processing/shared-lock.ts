/**
 * A lock that many can share, or that one holds exclusively. A chunk that was running when a process crashed runs alone,
 * so that the next crash has one possible cause.
 */
export interface SharedLock {
  shared: <T>(fn: () => Promise<T>) => Promise<T>;
  exclusive: <T>(fn: () => Promise<T>) => Promise<T>;
}

/** Creates a lock that serves callers in order: an exclusive one waits for all before it, and all behind it wait for it. */
export function createSharedLock(): SharedLock {
  let barrier: Promise<unknown> = Promise.resolve();
  let running = new Set<Promise<unknown>>();
  const quiet = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => undefined);
  return {
    shared: (fn) => {
      const run = barrier.then(fn);
      const set = running;
      const entry: Promise<unknown> = quiet(run).then(() => set.delete(entry));
      set.add(entry);
      return run;
    },
    exclusive: (fn) => {
      const before = [barrier, ...running];
      running = new Set();
      const run = Promise.all(before).then(fn);
      barrier = quiet(run);
      return run;
    },
  };
}
