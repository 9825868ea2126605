import { withinTime } from '../time-limit.ts';
import type { Round } from './dequeue-task.ts';

const ignore = (): void => {};

/** Creates the set of the rounds that are running in a process. */
export function createOpenRounds() {
  const open = new Set<Promise<unknown>>();
  return {
    /** Returns the same round, whose runs are tracked. */
    track: (round: Round): Round => {
      return (...args) => {
        const run = round(...args);
        const forget = (): void => void open.delete(run);
        open.add(run);
        run.then(forget, forget);
        return run;
      };
    },
    /** Resolves when no round is running any more, or after `limitMs`. Never rejects. */
    ended: (limitMs: number): Promise<void> =>
      withinTime(Promise.allSettled(open), limitMs, 'Rounds').then(ignore, ignore),
  };
}
