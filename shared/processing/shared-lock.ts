/**
 * A lock that many may hold together, or one alone. A chunk that was there when a process died runs alone, so that the
 * next death has one possible cause.
 */
export interface SharedLock {
  shared: <T>(fn: () => Promise<T>) => Promise<T>;
  exclusive: <T>(fn: () => Promise<T>) => Promise<T>;
}

/** First come, first served: one that wants to be alone waits for those before it, and those behind it wait for it. */
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
