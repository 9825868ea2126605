import type { BatchView } from '../api/types.ts';

const FINISHED: ReadonlySet<BatchView['state']> = new Set([
  'completed',
  'completedWithDeadLetters',
  'suspect',
  'cancelled',
  'reportFailed',
]);

/** Whether a batch is finished. Then only an operator changes it, by opening a new revision. */
export const isFinished = ({ state }: Pick<BatchView, 'state'>): boolean => FINISHED.has(state);

/** Whether a batch makes progress without an operator: it is unfinished, not paused, and its queue is not blocked. */
export const canProgress = (batch: Pick<BatchView, 'state' | 'blocked'>): boolean =>
  !isFinished(batch) && batch.state !== 'paused' && batch.blocked === undefined;

/** Returns why a finished batch has no report of its newest revision; undefined if it has one, or is not finished. */
export const reportFailure = (batch: Pick<BatchView, 'state' | 'reportProblem'>): string | undefined =>
  isFinished(batch) ? batch.reportProblem : undefined;
