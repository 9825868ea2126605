/**
 * Pauses a batch by changing only its state: running chunks finish, and the workers delete the waiting references that they
 * receive. A resume changes the state by ETag, and then puts new references for all pending rows. A reference that is put before
 * the change would be deleted by a worker that still finds the batch paused. Until the end, `resumingAt` shows that references or
 * the event may be missing; after a crash, a repeat of the request or the sweep continues.
 */
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import { changeBatch } from '../batches/ledger.ts';
import { pausing, resuming } from '../batches/pause.ts';
import { Problem } from '../errors.ts';
import { publishPaused, publishResumed } from '../events/batch-events.ts';
import { tryPublish } from '../events/publish.ts';
import { keepsPause, otherPauseText, type PauseWish, pauseBy } from '../pauses.ts';
import { resendPending } from '../queues/resend.ts';
import { type FinalizeDeps, requireWorkload } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import { changeFor } from './change-batch.ts';

/**
 * Pauses a batch for an operator. If it is already paused and the wish adds nothing, the row is unchanged, and its event is
 * published again, in case the topic was unavailable before: an unavailable topic does not make a pause fail. Otherwise the
 * pause is replaced by one with another name, so that nobody who knows only the earlier one ends it.
 * @throws Problem 'not-found'; 'conflict' while the batch is being accepted or cancelled, and when it is finished.
 */
export async function pauseBatch(
  deps: Pick<FinalizeDeps, 'table' | 'gate' | 'publish' | 'addressOf'>,
  id: string,
  wish: PauseWish,
): Promise<BatchRow> {
  const { before, row } = await changeFor(deps, id, (row) => {
    if (row.paused !== undefined && keepsPause(row.paused, wish)) return row;
    if (row.state !== 'paused') refuse(row);
    const { since: at, ...pause } = pauseBy(wish, deps.gate.now());
    return pausing(row, { ...pause, at });
  });
  if (row !== before) log.info('batch-paused', { batch: id, workload: row.workload, ...row.paused });
  await tryPublish({ batch: id }, () => publishPaused(deps, row));
  return row;
}

function refuse({ id, state }: BatchRow): void {
  if (isFinished(state)) throw new Problem('conflict', `Batch ${id} is ${state}; there is nothing to pause.`);
  if (state === 'enqueueing')
    throw new Problem('conflict', `Batch ${id} is being accepted; it can be paused in a moment, once it is queued.`);
  if (state === 'cancelling') throw new Problem('conflict', `Batch ${id} is being cancelled; it cannot be paused.`);
}

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
