/**
 * The operations of a batch in its row. Each write of the row adds what was spent for the batch since the last one
 * (shared/cost/account.ts), and the operations that certainly follow, since no later write could add them.
 */
import { addOperations, type Operations } from '../contract/operations.ts';
import { charge } from '../cost/account.ts';
import type { BatchRow } from './batch-row.ts';

/** The write itself. */
export const UPDATE: Operations = { 'table.update': 1 };
/** The write itself, if it is a transaction. */
export const TRANSACTION: Operations = { 'table.transaction': 1 };
/** The last write of a revision (results/announce.ts): the row itself, then the `open` row is deleted. */
export const LAST_UPDATE: Operations = { ...UPDATE, 'table.delete': 1 };
/** What follows `BatchCompleted`: the line of the listing is written, then comes the last write of the row. */
export const CLOSING: Operations = { ...LAST_UPDATE, 'table.update': 2 };

/** Adds to a row what was spent for its batch, with what `follows`. Call `stored` when the row is written. */
export function charged(row: BatchRow, follows: Operations): { row: BatchRow; stored: () => void } {
  const { operations, stored } = charge(follows);
  return { row: { ...row, operations: addOperations(row.operations, operations) }, stored };
}
