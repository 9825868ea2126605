/** Repairs one open batch: continues where the last process that worked on it stopped. */
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import { requireBatch } from '../batches/ledger.ts';
import { indexBatch, unindexBatch } from '../batches/listing/index-rows.ts';
import { deleteOpenRow, type OpenBatch } from '../batches/listing/open-rows.ts';
import { type BatchAndProgress, readBatchAndProgress, sumFresh } from '../batches/progress/progress-rows.ts';
import { cancelBatch } from '../commands/cancel.ts';
import { cancelPending, MAX_ROWS } from '../commands/cancel-pending.ts';
import { deleteBatch } from '../commands/delete.ts';
import { continueResume, resumeBatch } from '../commands/pause.ts';
import { continueEnqueueing } from '../commands/redrive/revision-rows.ts';
import { resultsQueueName } from '../contract/names.ts';
import { DAY_MS } from '../days.ts';
import { warnOfRisk } from '../events/warn-of-risk.ts';
import { hasPauseEnded } from '../pauses.ts';
import { queueOf } from '../queues/queue-of.ts';
import { resendPending } from '../queues/resend.ts';
import { announce } from '../results/announce.ts';
import { finalize } from '../results/finalize.ts';
import { isOver, isOverdue, repaired, type SweepRun } from './sweep-run.ts';

/**
 * Repairs a batch, and returns its row if its queues may hold work. A batch whose workload is not deployed stays as it
 * is: the sweep of a deployment that has the workload continues it. Only a deletion, which needs no workload, is
 * continued.
 */
export async function repairBatch(run: SweepRun, open: OpenBatch): Promise<BatchRow | undefined> {
  const found = await readBatchAndProgress(run.table, open.id);
  if (!found) return closeUnaccepted(run, open);
  const { row } = found;
  if (row.deletingAt !== undefined) return continueDeletion(run, row);
  if (open.revision !== row.revision) return closeOtherRevision(run, open, row);
  // Ending the batch also needs the workload: without it the report would be empty, and the event would be lost.
  if (!row.announced && !run.registry.workload(row.workload)) return undefined;
  if (isFinished(row.state)) return close(run, open, found);
  await advance(run, open, found);
  await warnOfRisk(run, found, isIdle(run, found) ? { nextCheckMs: run.gate.now() + run.patient.nextMs } : {});
  return row;
}

/** Whether nothing of a batch runs: every step writes its row. It waits for others, a pause or an open circuit. */
const isIdle = (run: SweepRun, { row, changedMs, progress }: BatchAndProgress): boolean =>
  isOverdue(run, changedMs, 'wakeMs') && sumFresh(progress, row, run.gate.now()) === undefined;

/** Closes the row of an upload that opened its batch and was never accepted. */
async function closeUnaccepted(run: SweepRun, open: OpenBatch): Promise<undefined> {
  if (!isOverdue(run, open.openedAt, 'orphanMs')) return;
  await unindexBatch(run.table, open.id);
  await deleteOpenRow(run.table, open);
  repaired(run, 'closed', { event: 'orphan-open-row', batch: open.id });
}

async function continueDeletion(run: SweepRun, { id }: BatchRow): Promise<undefined> {
  if (await deleteBatch(run, id, run.endMs)) repaired(run, 'deleted', { event: 'deletion-continued', batch: id });
}

/**
 * Closes a row of another revision. An older revision has ended, or there would be no newer one; a newer revision is a
 * redrive that was never accepted.
 */
async function closeOtherRevision(run: SweepRun, open: OpenBatch, { revision }: BatchRow): Promise<undefined> {
  if (open.revision > revision && !isOverdue(run, open.openedAt, 'orphanMs')) return;
  await deleteOpenRow(run.table, open);
  repaired(run, 'closed', { event: 'orphan-open-row', batch: open.id, revision: open.revision });
}

/** Publishes the end of a finished batch if it was not published, and closes its row. */
async function close(run: SweepRun, open: OpenBatch, { row, changedMs }: BatchAndProgress): Promise<undefined> {
  if (!row.announced) {
    if (!isOverdue(run, changedMs, 'wakeMs')) return;
    await announce(run, row);
    repaired(run, 'announced', { event: 'end-announced-late', batch: row.id, revision: row.revision });
  } else if (isOverdue(run, open.openedAt, 'enqueueingMs') && isOverdue(run, changedMs, 'wakeMs')) {
    await indexExisting(run, row);
    await deleteOpenRow(run.table, open);
    repaired(run, 'closed', { event: 'ended-batch-closed', batch: row.id, revision: row.revision });
  }
}

/**
 * Writes the batch's line in the listing. Nothing follows that would find a batch that was deleted meanwhile.
 * @throws BatchGoneError
 */
async function indexExisting({ table }: SweepRun, row: BatchRow): Promise<void> {
  await indexBatch(table, row);
  await requireBatch(table, row.id);
}

async function advance(run: SweepRun, open: OpenBatch, found: BatchAndProgress): Promise<void> {
  const { row, changedMs } = found;
  const { id: batch, state } = row;
  if (state === 'enqueueing' && isOverdue(run, open.openedAt, 'enqueueingMs')) {
    await continueEnqueueing(run, row, run.endMs);
    await indexExisting(run, row);
    return repaired(run, 'continued', { event: 'intake-continued', batch, revision: row.revision });
  }
  // Its running chunks change the row, so the age of the row is no evidence here.
  if (row.resumingAt !== undefined && isOverdue(run, Date.parse(row.resumingAt), 'enqueueingMs')) {
    const { sent: n } = await continueResume(run, row, () => isOver(run));
    return repaired(run, 'resent', { event: 'resume-continued', n, batch });
  }
  if (row.paused !== undefined && hasPauseEnded(row.paused, run.gate.now())) {
    const { sent } = await resumeBatch(run, batch, { since: row.paused.at, untilMs: run.endMs });
    run.counts.resent += sent;
    return;
  }
  if (!isOverdue(run, changedMs, 'wakeMs')) return;
  if (row.chunksDone === row.chunksTotal) {
    await finalize(run, batch);
    return repaired(run, 'finalized', { event: 'batch-finalized-late', batch, revision: row.revision });
  }
  if (state === 'cancelling') {
    const { chunks: n } = await cancelPending(run, row, { limit: MAX_ROWS, isOver: () => isOver(run) });
    return repaired(run, 'cancelled', { event: 'cancel-continued', n, batch });
  }
  // A paused batch has no running chunks on purpose, so its references are not put again.
  if (state === 'paused') return endPause(run, row);
  if (isOverdue(run, changedMs, 'stallMs')) {
    return repaired(run, 'resent', { event: 'references-resent', n: await resend(run, row), batch });
  }
}

/**
 * Cancels a batch that has been paused for as long as its workload keeps finished batches: its data must not be kept
 * indefinitely, and its finished results then stay for the time of retention.
 */
async function endPause(run: SweepRun, { id: batch, workload, paused }: BatchRow): Promise<void> {
  const days = run.registry.workload(workload)?.retentionDays;
  if (!paused || days === undefined || run.gate.now() - Date.parse(paused.at) <= days * DAY_MS) return;
  const { ended } = await cancelBatch(run, batch);
  repaired(run, 'cancelled', { event: 'paused-batch-expired', batch, workload, days, chunks: ended.chunks });
}

/**
 * Puts the references of pending rows again if their queue is empty, because then none of their messages can be under way.
 * Puts none while the result queue has messages: these may be the results of pending rows. Returns how many were put.
 */
async function resend(run: SweepRun, batch: BatchRow): Promise<number> {
  const workload = run.registry.workload(batch.workload);
  if (!workload || (await run.depthOf(resultsQueueName(workload.name))) > 0) return 0;
  const empty = new Map<string, Promise<boolean>>();
  // Each queue is read once, before anything is put on it.
  const isEmpty = (queue: string): Promise<boolean> => {
    const known = empty.get(queue) ?? run.depthOf(queue).then((depth) => depth === 0);
    empty.set(queue, known);
    return known;
  };
  const { sent } = await resendPending(run, batch, {
    isWanted: ({ chunk }) => isEmpty(queueOf(workload, batch, chunk)),
    isOver: () => isOver(run),
  });
  return sent;
}
