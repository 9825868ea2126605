/**
 * The redrive of the report alone: a revision without items. No handler runs; the deployed code folds, merges and
 * finishes the existing results.
 */
import type { BatchRow } from '../../batches/batch-row.ts';
import { Problem } from '../../errors.ts';
import type { StoredRedrive } from './redrive-blob.ts';
import type { Selected } from './select.ts';

/**
 * Each needs about 120 characters in the batch row, whose columns hold 32,768. Source: Microsoft Learn, understanding
 * the table model.
 */
const MAX_REPORT_REDRIVES = 100;

/**
 * Creates the selection of a redrive of the report alone.
 * @throws Problem 'conflict' unless the finished batch has no report of its newest revision.
 */
export function noItems(batch: BatchRow): Selected {
  const { id, state, reportProblem, reportRedrives = {} } = batch;
  if (reportProblem === undefined)
    throw new Problem('conflict', `Batch ${id} is ${state}; only a report that failed can be redriven.`);
  if (Object.keys(reportRedrives).length >= MAX_REPORT_REDRIVES)
    throw new Problem(
      'conflict',
      `The report of batch ${id} has been redriven ${MAX_REPORT_REDRIVES} times, which is the maximum.`,
    );
  return { frames: [], chunks: [], items: 0, bytes: 0, unreadable: 0, causes: {} };
}

/**
 * Returns the other changes of the batch row when a redrive of the report alone opens its revision: nothing has to be
 * put into a queue.
 */
export const reportAlone = (row: BatchRow, { blob, redrive }: StoredRedrive): Partial<BatchRow> => ({
  state: 'running',
  reportRedrives: { ...row.reportRedrives, [redrive.revision]: blob },
});
