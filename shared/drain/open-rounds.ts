import { withinTime } from '../time-limit.ts';
import type { Round } from './dequeue-task.ts';

/** The rounds that are running in this process. */
export interface OpenRounds {
  /** Returns the same round, whose runs are tracked. */
  track: (round: Round) => Round;
  /** Resolves when no round is running any more, or after `limitMs`. Never rejects. */
  ended: (limitMs: number) => Promise<void>;
}

/** Creates the set of a process. */
export function createOpenRounds(): OpenRounds {
  const open = new Set<Promise<unknown>>();
  return {
    track:
      (round) =>
      (...args) => {
        const run = round(...args);
        const forget = (): void => void open.delete(run);
        open.add(run);
        run.then(forget, forget);
        return run;
      },
    ended: (limitMs) =>
      withinTime(Promise.allSettled(open), limitMs, 'Rounds').then(
        () => undefined,
        () => undefined,
      ),
  };
}
