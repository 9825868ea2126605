/**
 * Resumes a batch: changes the state by ETag, and then puts new references for all pending rows. A reference that is
 * put before the change would be deleted by a worker that still finds the batch paused. Until the end, `resumingAt`
 * shows that references or the event may be missing; after a crash, a repeat of the request or the sweep continues.
 */
import type { BatchRow } from '../batches/batch-row.ts';
import { changeBatch } from '../batches/ledger.ts';
import { resuming } from '../batches/pause.ts';
import { Problem } from '../errors.ts';
import { publishResumed } from '../events/batch-events.ts';
import { tryPublish } from '../events/publish.ts';
import { otherPauseText } from '../pauses.ts';
import { resendPending } from '../queues/resend.ts';
import { type FinalizeDeps, requireWorkload } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import { changeFor } from './change-batch.ts';

/** The result of a resume. `isWhole` is true if all pending rows have references again. */
export interface Resumed {
  sent: number;
  isWhole: boolean;
}

/**
 * Ends the pause of a batch that began at `since`. If repeated while its references are being put, puts them again. After
 * `untilMs` (service time) the sweep continues with the rest.
 * @throws Problem 'not-found'; 'conflict' if the batch is not paused or has another pause, or its workload is no longer
 * deployed.
 */
export async function resumeBatch(
  deps: FinalizeDeps,
  id: string,
  { since, untilMs = Number.POSITIVE_INFINITY }: { since: string; untilMs?: number },
): Promise<Resumed> {
  const row = await markResuming(deps, id, since);
  return continueResume(deps, row, () => deps.gate.now() >= untilMs);
}

async function markResuming(deps: FinalizeDeps, id: string, since: string): Promise<BatchRow> {
  const { before, row } = await changeFor(deps, id, (row) => {
    if (row.resumingAt !== undefined && (row.state === 'queued' || row.state === 'running')) return row;
    if (row.state !== 'paused') throw new Problem('conflict', `Batch ${id} is ${row.state}; it is not paused.`);
    if (row.paused !== undefined && row.paused.at !== since)
      throw new Problem('conflict', otherPauseText(`Batch ${id}`, { ...row.paused, since: row.paused.at }, since));
    requireWorkload(deps, row);
    return resuming(row, new Date(deps.gate.now()).toISOString());
  });
  if (row !== before) log.info('batch-resumed', { batch: id, workload: row.workload, was: before.paused });
  return row;
}

/**
 * Publishes that a batch was resumed, puts the references of all its pending rows, and then removes the mark, unless it
 * belongs to a later resume. An unavailable topic does not delay the references; the mark stays, and the sweep repeats
 * both.
 */
export async function continueResume(deps: FinalizeDeps, batch: BatchRow, isOver: () => boolean): Promise<Resumed> {
  const isPublished = await tryPublish({ batch: batch.id }, () => publishResumed(deps, batch));
  const resumed = await resendPending(deps, batch, { isOver });
  if (!resumed.isWhole || !isPublished) return resumed;
  await changeBatch(deps.table, batch.id, ({ resumes, resumingAt }) =>
    resumingAt !== undefined && resumes === batch.resumes ? { resumingAt: undefined } : undefined,
  );
  return resumed;
}
