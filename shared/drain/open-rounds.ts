import { withinTime } from '../time-limit.ts';
import type { Round } from './activities.ts';

/** The rounds that run in this process. */
export interface OpenRounds {
  /** Gives the round, whose runs are then known. */
  track: (round: Round) => Round;
  /** Resolves when no round runs any more, or after `limitMs`; never rejects. */
  ended: (limitMs: number) => Promise<void>;
}

/** Makes the set of a process. */
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
