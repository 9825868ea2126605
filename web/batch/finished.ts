import type { BatchView } from '../api/types.ts';

/** Whether nothing more will happen to a batch, short of a redrive. */
export const isFinished = ({ state }: Pick<BatchView, 'state'>): boolean =>
  state === 'completed' || state === 'completedWithDeadLetters' || state === 'cancelled' || state === 'reportFailed';
