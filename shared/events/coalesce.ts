import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `run` for a key, or joins a run for that key which has not started. */
export type Coalesce = (key: string, run: () => Promise<void>) => Promise<void>;

/**
 * Lets calls for the same key that come close together share a run. The first call runs immediately. Calls within
 * `gapMs` of the start of a run share the next run, which starts when the gap is over. So each call is followed by a
 * complete run, and there is at most one run per gap. If a run fails, all calls that share it fail with its error.
 */
export function createCoalesce(gapMs: number): Coalesce {
  const keys = new Map<string, { startedMs: number; next?: Promise<void> | undefined }>();
  return (key, run) => {
    const known = keys.get(key) ?? { startedMs: Number.NEGATIVE_INFINITY };
    keys.set(key, known);
    const begin = (): Promise<void> => {
      known.next = undefined;
      known.startedMs = performance.now();
      return run();
    };
    const waitMs = known.startedMs + gapMs - performance.now();
    if (known.next === undefined && waitMs <= 0) return begin();
    known.next ??= sleep(waitMs).then(begin);
    return known.next;
  };
}
