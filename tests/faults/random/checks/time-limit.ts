import type { StackFault } from '../plan.ts';
import type { Score } from './score.ts';

/** The fault of a process that ended because an invocation exceeded functionTimeout. */
export const TIMED_OUT = 'process ended at functionTimeout';

/** Compares the processes that ended at functionTimeout with those that the plan lets end so. */
export interface TimeLimitCheck {
  /** Records a fault that can end one process. */
  planned(fault: Pick<StackFault, 'kind'>): void;
  /** Records the end of a process. If no fault explains it, the app itself has exceeded its time, which is a problem. */
  ended(): void;
}

/** Creates the check of one stack. The time of an invocation also passes while its process is frozen. */
export function createTimeLimitCheck(score: Pick<Score, 'fault' | 'problem'>): TimeLimitCheck {
  let explained = 0;
  return {
    planned: ({ kind }) => {
      if (kind === 'stallInvocation' || kind === 'freezeInstance') explained += 1;
    },
    ended: () => {
      score.fault(TIMED_OUT);
      explained -= 1;
      if (explained < 0) score.problem('An invocation exceeded functionTimeout, and no fault made it do so.');
    },
  };
}
