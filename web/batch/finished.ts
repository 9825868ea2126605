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
