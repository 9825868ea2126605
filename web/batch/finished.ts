import type { BatchView } from '../api/types.ts';

const FINISHED: ReadonlySet<BatchView['state']> = new Set([
  'completed',
  'completedWithDeadLetters',
  'suspect',
  'cancelled',
  'reportFailed',
]);

/** Whether nothing more will happen to a batch, short of a redrive. */
export const isFinished = ({ state }: Pick<BatchView, 'state'>): boolean => FINISHED.has(state);

/** Whether a batch goes on by itself: one that is paused, or whose queue is held up, waits for somebody. */
export const goesOn = (batch: Pick<BatchView, 'state' | 'blocked'>): boolean =>
  !isFinished(batch) && batch.state !== 'paused' && batch.blocked === undefined;

/** Why a finished batch has no report of its newest revision; undefined: it has one, or is not finished. */
export const reportFailure = (batch: Pick<BatchView, 'state' | 'reportProblem'>): string | undefined =>
  isFinished(batch) ? batch.reportProblem : undefined;
