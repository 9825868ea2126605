/**
 * Cancels batches: finished items keep their results, the rest is cancelled. The state is changed first. From then on
 * every worker cancels each chunk of the batch that it receives, and stops one that it is running; `cancelPending`
 * cancels the pending chunks that no worker can be running. As for every ending, the outcome blob decides.
 */
import { type BatchRow, isFinished, pendingItems } from '../batches/batch-row.ts';
import { insertChunks } from '../batches/ledger.ts';
import { endingPause } from '../batches/pause.ts';
import { cleaningUp } from '../batches/remove-batch.ts';
import { forBatch } from '../cost/account.ts';
import { Problem } from '../errors.ts';
import { type FinalizeDeps, requireWorkload } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import { type CancelLimits, type ChunkTotals, cancelPending, MAX_ROWS, NOTHING } from './cancel-pending.ts';
import { changeFor } from './change-batch.ts';
import { rowsOfRevision } from './redrive/revision-rows.ts';

export interface Cancelling {
  row: BatchRow;
  /** Pending chunks that this call has ended: cancelled, unless they had an outcome. */
  ended: ChunkTotals;
  /** Other chunks that were pending when the batch was read: a worker runs or will receive them, or their result is under way. */
  left: ChunkTotals;
}

/**
 * Cancels a batch, also a paused one. A repeated call continues; for a batch that is already cancelled, it returns the
 * row. If nothing is left to cancel, the batch becomes completed: its state shows what happened to the items, not what
 * was requested.
 * @throws Problem 'not-found'; 'conflict' if the batch has finished in another way, its workload is no longer deployed, or
 * it is large and still being accepted.
 */
export const cancelBatch = (deps: FinalizeDeps, id: string, limits: CancelLimits = {}): Promise<Cancelling> =>
  forBatch(id, () => cancelOnce(deps, id, limits));

async function cancelOnce(deps: FinalizeDeps, id: string, limits: CancelLimits): Promise<Cancelling> {
  const row = await markCancelling(deps, id);
  if (row.state === 'cancelled') return { row, ended: NOTHING, left: NOTHING };
  if (isFinished(row.state)) throw new Problem('conflict', `Batch ${id} is ${row.state}; there is nothing to cancel.`);
  const ended = await cancelPending(deps, row, limits);
  const chunks = row.chunksTotal - row.chunksDone - ended.chunks;
  // The row may have been older than the chunk rows.
  const left = { chunks: Math.max(0, chunks), items: Math.max(0, pendingItems(row) - ended.items) };
  return { row, ended, left };
}

/**
 * Moves an unfinished batch to `cancelling`. A batch in `enqueueing` first gets all its rows: the intake of a cancelling
 * batch is never completed, and a missing row would keep it open indefinitely.
 */
async function markCancelling(deps: FinalizeDeps, id: string): Promise<BatchRow> {
  const batch: { id: string; workload?: string } = { id };
  const changing = changeFor(deps, id, async (row) => {
    batch.workload = row.workload;
    if (isFinished(row.state)) return row;
    // Checked before anything is written: without the workload the cancel cannot be carried out, and the batch could be
    // neither resumed nor cancelled.
    requireWorkload(deps, row);
    if (row.state === 'cancelling') return row;
    if (row.state === 'enqueueing' && row.chunksTotal > MAX_ROWS)
      throw new Problem(
        'conflict',
        `Batch ${id} has ${row.chunksTotal} chunks and is being accepted; it can be cancelled once it is queued.`,
      );
    if (row.state === 'enqueueing') await insertChunks(deps.table, rowsOfRevision(deps, row));
    const cancellingAt = new Date(deps.gate.now()).toISOString();
    return { ...row, ...endingPause(row, cancellingAt), state: 'cancelling', cancellingAt };
  });
  const { before, row } = await cleaningUp(deps, batch, () => changing);
  if (row !== before) log.info('batch-cancelling', { batch: id, workload: row.workload, was: before.state });
  return row;
}
