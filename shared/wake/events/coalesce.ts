import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `run` for a key, or joins a run for it that has not begun. */
export type Coalesce = (key: string, run: () => Promise<void>) => Promise<void>;

/**
 * Makes calls for one key that come close together share a run: the first runs at once; those that come within `gapMs`
 * of a run's start wait for the next, which begins when the gap is over. So each call is followed by a whole run, and
 * there is at most one a gap. A run's error is the error of all who share it.
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
