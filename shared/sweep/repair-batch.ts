/** What a sweep does for one open batch: it goes on wherever the last one who worked on it stopped. */
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import { indexBatch, unindexBatch } from '../batches/listing/index-rows.ts';
import { closeBatch, type OpenBatch } from '../batches/listing/open-rows.ts';
import { type BatchAndProgress, readBatchAndProgress, sumFresh } from '../batches/progress/progress-rows.ts';
import { cancelBatch, cancelPending } from '../commands/cancel.ts';
import { deleteBatch } from '../commands/delete.ts';
import { continueAccepting } from '../commands/redrive/revision-rows.ts';
import { continueResume } from '../commands/resume.ts';
import { DAY_MS } from '../days.ts';
import { announce, finalize } from '../results/finalize.ts';
import { warnOfRisk } from '../wake/events/warn-of-risk.ts';
import { resend } from './resend.ts';
import { isOver, isOverdue, repaired, type SweepRun } from './run.ts';

/**
 * Repairs a batch; gives its row if its queues may hold work. One whose workload is not deployed stays as it is: the sweep of
 * a deployment that has the workload goes on with it. Only a deletion, which needs no workload, is continued.
 */
export async function repairBatch(run: SweepRun, open: OpenBatch): Promise<BatchRow | undefined> {
  const found = await readBatchAndProgress(run.table, open.id);
  if (!found) return dropStray(run, open);
  const { row } = found;
  if (row.deletingAt !== undefined) return continueDeletion(run, row);
  if (open.revision !== row.revision) return dropOther(run, open, row);
  // Its end needs the workload too: without it the report would be empty, and the event would be lost.
  if (!row.announced && !run.registry.workload(row.workload)) return undefined;
  if (isFinished(row.state)) return close(run, open, found);
  await bringOn(run, open, found);
  await warnOfRisk(run, found, standsStill(run, found) ? { nextCheckMs: run.gate.now() + run.patient.nextMs } : {});
  return row;
}

/**
 * Whether nothing of a batch is running, since every step writes its row: it waits for others, a pause or an open
 * circuit.
 */
const standsStill = (run: SweepRun, { row, changedMs, progress }: BatchAndProgress): boolean =>
  isOverdue(run, changedMs, 'wakeMs') && sumFresh(progress, row, run.gate.now()) === undefined;

/** An upload that opened its batch and was never accepted. */
async function dropStray(run: SweepRun, open: OpenBatch): Promise<undefined> {
  if (!isOverdue(run, open.openedAt, 'orphanMs')) return;
  await unindexBatch(run.table, open.id);
  await closeBatch(run.table, open);
  repaired(run, 'closed', { event: 'orphan-open-row', batch: open.id });
}

async function continueDeletion(run: SweepRun, { id }: BatchRow): Promise<undefined> {
  if (await deleteBatch(run, id, run.endMs)) repaired(run, 'deleted', { event: 'deletion-continued', batch: id });
}

/** An older revision has ended, or there would be no newer one; a newer one is a redrive that was never accepted. */
async function dropOther(run: SweepRun, open: OpenBatch, { revision }: BatchRow): Promise<undefined> {
  if (open.revision > revision && !isOverdue(run, open.openedAt, 'orphanMs')) return;
  await closeBatch(run.table, open);
  repaired(run, 'closed', { event: 'orphan-open-row', batch: open.id, revision: open.revision });
}

/** A finished batch: its end is published if it was not, and its row is deleted. */
async function close(run: SweepRun, open: OpenBatch, { row, changedMs }: BatchAndProgress): Promise<undefined> {
  if (!row.announced) {
    if (!isOverdue(run, changedMs, 'wakeMs')) return;
    await announce(run, row);
    repaired(run, 'announced', { event: 'end-announced-late', batch: row.id, revision: row.revision });
  } else if (isOverdue(run, open.openedAt, 'acceptingMs') && isOverdue(run, changedMs, 'wakeMs')) {
    await indexBatch(run.table, row);
    await closeBatch(run.table, open);
    repaired(run, 'closed', { event: 'ended-batch-closed', batch: row.id, revision: row.revision });
  }
}

async function bringOn(run: SweepRun, open: OpenBatch, found: BatchAndProgress): Promise<void> {
  const { row, changedMs } = found;
  const { id: batch, state } = row;
  if (state === 'accepting' && isOverdue(run, open.openedAt, 'acceptingMs')) {
    await continueAccepting(run, row);
    await indexBatch(run.table, row);
    return repaired(run, 'continued', { event: 'intake-continued', batch, revision: row.revision });
  }
  // Its running chunks change the row, so that its age says nothing.
  if (row.resumingAt !== undefined && isOverdue(run, Date.parse(row.resumingAt), 'acceptingMs')) {
    const { sent: n } = await continueResume(run, row, () => isOver(run));
    return repaired(run, 'resent', { event: 'resume-continued', n, batch });
  }
  if (!isOverdue(run, changedMs, 'wakeMs')) return;
  if (row.chunksDone === row.chunksTotal) {
    await finalize(run, batch);
    return repaired(run, 'finalized', { event: 'batch-finalized-late', batch, revision: row.revision });
  }
  if (state === 'cancelling') {
    const { chunks: n } = await cancelPending(run, row);
    return repaired(run, 'cancelled', { event: 'cancel-continued', n, batch });
  }
  // Nothing of it is under way, on purpose.
  if (state === 'paused') return endPause(run, found);
  if (isOverdue(run, changedMs, 'stallMs')) {
    return repaired(run, 'resent', { event: 'references-resent', n: await resend(run, row), batch });
  }
}

/**
 * A batch that is paused for as long as its workload keeps those that are finished is cancelled: its data must not be kept
 * indefinitely, and what has finished of it stays for the time of retention. Where the row does not say since when, its last
 * change counts.
 */
async function endPause(run: SweepRun, { row, changedMs }: BatchAndProgress): Promise<void> {
  const { id: batch, workload, paused } = row;
  const days = run.registry.workload(workload)?.retentionDays;
  const sinceMs = Date.parse(paused?.at ?? '') || changedMs;
  if (days === undefined || run.gate.now() - sinceMs <= days * DAY_MS) return;
  const { ended } = await cancelBatch(run, batch);
  repaired(run, 'cancelled', { event: 'paused-batch-expired', batch, workload, days, chunks: ended.chunks });
}
