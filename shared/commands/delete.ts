/**
 * Deletes a batch: all its stored data, and its row last, so that an interrupted deletion can start again. The batch is
 * marked first: from then on no redrive can start, and its row `open` lets the sweep complete the deletion after a
 * crash.
 */
import { type BatchRow, isFinished, toBatchEntity } from '../batches/batch-row.ts';
import { contentRowOf } from '../batches/content-keys.ts';
import { freeKey } from '../batches/keys.ts';
import { readBatch, rowOf } from '../batches/ledger.ts';
import { writeOpenRow } from '../batches/listing/open-rows.ts';
import { cleaningUp, removeBatch } from '../batches/remove-batch.ts';
import { CONTAINERS } from '../contract/names.ts';
import { BatchGoneError, Problem, statusOf, toError, unlessStatus } from '../errors.ts';
import { InboxMarks } from '../intake/inbox/inbox-marks.ts';
import { removeFile } from '../intake/inbox/inbox-move.ts';
import { announce } from '../results/announce.ts';
import type { FinalizeDeps } from '../results/finalize.ts';
import { blobProperties } from '../storage/blob-reads.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';
import { log } from '../telemetry/log.ts';

export interface DeleteDeps extends FinalizeDeps {
  keys: Table;
}

/**
 * Deletes a finished batch. Returns true if it is gone, and false if `untilMs` (service time) came first: then the
 * sweep continues.
 * @throws Problem 'not-found'; 'conflict' while the batch is not finished.
 */
export async function deleteBatch(deps: DeleteDeps, id: string, untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
  const batch: { id: string; workload?: string } = { id };
  const row = await cleaningUp(deps, batch, () =>
    markDeleting(deps, id, (seen) => {
      batch.workload = seen.workload;
    }),
  );
  await deleteSource(deps, row);
  if (!(await removeBatch(deps, row, () => deps.gate.now() >= untilMs))) return false;
  log.info('batch-deleted', { batch: id, workload: row.workload });
  return true;
}

/** Writes the row `open` before the mark: a mark that no sweep sees would never be followed up. */
const markDeleting = (deps: DeleteDeps, id: string, onRead: (row: BatchRow) => void): Promise<BatchRow> =>
  retryLostRace(rowOf(id), async () => {
    const found = await readBatch(deps.table, id);
    if (!found) throw new BatchGoneError(id, { isBeingDeleted: false });
    const { row, etag } = found;
    onRead(row);
    if (row.deletingAt !== undefined) return row;
    if (row.state === 'paused')
      throw new Problem('conflict', `Batch ${id} is paused; cancel it, and it can be deleted once it is finished.`);
    if (!isFinished(row.state))
      throw new Problem('conflict', `Batch ${id} is ${row.state}; it can be deleted once it is finished.`);
    // The end must be published while the data of the batch still exists. That changes the row, which is read again.
    if (!row.announced) {
      await publishCompleted(deps, row);
      return LOST_RACE;
    }
    await writeOpenRow(deps.table, row);
    const next = { ...row, deletingAt: new Date(deps.gate.now()).toISOString() };
    return (await writeRow(deps.table, toBatchEntity(next), etag)) === undefined ? LOST_RACE : next;
  });

/** Publishes the end of a batch, unless another deletion began meanwhile: that one has done so. */
async function publishCompleted(deps: DeleteDeps, row: BatchRow): Promise<void> {
  try {
    await announce(deps, row);
  } catch (error) {
    if (!(error instanceof BatchGoneError)) throw error;
  }
}

/**
 * Deletes what could become the batch again: its file, and then its key and the row of its content. While the file is in
 * the inbox (a process died between acceptance and move), the key alone keeps it from becoming another batch.
 */
async function deleteSource(deps: DeleteDeps, row: BatchRow): Promise<void> {
  const { id, workload, digest, keyRow, sourceKind } = row;
  if (sourceKind === 'inbox') {
    await deleteInboxFile(deps, row);
    await deleteMovedFile(deps, row);
  }
  if (sourceKind === 'inbox' || deps.registry.workload(workload)?.inbox.repeatedContent === 'refuse')
    await freeKey(deps.keys, contentRowOf(workload, digest), id);
  if (keyRow !== undefined) await freeKey(deps.keys, keyRow, id);
}

/**
 * Deletes the version of the file that became the batch, if it is still in the inbox. If the service refuses that (a
 * lease, a snapshot), the file is marked as if it could not be moved: no inbox scan takes it, and each tries to remove it.
 */
async function deleteInboxFile(deps: DeleteDeps, { id, sourceName: name, sourceEtag: etag }: BatchRow): Promise<void> {
  if (etag === undefined) return;
  try {
    await removeFile(deps, { name, etag });
  } catch (error) {
    if (![409, 412].includes(statusOf(error) ?? 0)) throw error;
    await new InboxMarks(deps.keys).add({ name, etag }, { batch: id });
    log.warn('inbox-file-not-deleted', { batch: id, file: name, error: toError(error) });
  }
}

/** Deletes the file of inbox-done, which contains the same records, if it is still the one that became this batch. */
async function deleteMovedFile({ container }: DeleteDeps, { id, sourceName }: BatchRow): Promise<void> {
  const blob = container(CONTAINERS.inboxDone).getBlobClient(sourceName);
  const { metadata, etag = '' } = (await blobProperties(blob)) ?? {};
  if (metadata?.batch === id) await unlessStatus([404, 412], blob.delete({ conditions: { ifMatch: etag } }));
}
