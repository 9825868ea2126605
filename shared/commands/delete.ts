/**
 * Deletes a batch: all its stored data, and its row last, so that an interrupted deletion can start again. The batch is
 * marked first: from then on no redrive can start, and its row `open` lets the sweep complete the deletion after a
 * crash.
 */
import type { ContainerClient } from '@azure/storage-blob';
import { BATCH_ROW_KEY, type BatchRow, isFinished, toBatchEntity } from '../batches/batch-row.ts';
import { contentRowOf } from '../batches/content-keys.ts';
import { deleteChunks } from '../batches/delete-chunks.ts';
import { freeKey } from '../batches/keys.ts';
import { readBatch, rowOf } from '../batches/ledger.ts';
import { unindexBatch } from '../batches/listing/index-rows.ts';
import { closeAll, openBatch } from '../batches/listing/open-rows.ts';
import { CONTAINERS, outcomeBlobName } from '../contract/names.ts';
import { Problem, statusOf } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import { announce } from '../results/announce.ts';
import type { FinalizeDeps } from '../results/finalize.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { deleteEntity, type Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';
import { log } from '../telemetry/log.ts';

const DELETES_AT_ONCE = 16;
const BLOBS_PER_GROUP = 256;

export interface DeleteDeps extends FinalizeDeps {
  keys: Table;
}

/**
 * Deletes a finished batch. Returns true if it is gone, and false if `untilMs` (service time) came first: then the
 * sweep continues.
 * @throws Problem 'not-found'; 'conflict' while the batch is not finished.
 */
export async function deleteBatch(deps: DeleteDeps, id: string, untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
  const row = await markDeleting(deps, id);
  const isOver = (): boolean => deps.gate.now() >= untilMs;
  if (row.keyRow !== undefined) await freeKey(deps.keys, row.keyRow, id);
  await unindexBatch(deps.table, id);
  for (const [container, prefix] of foldersOf(row)) {
    if (!(await deleteBlobs(deps.container(container), prefix, isOver))) return false;
  }
  await deleteInboxFile(deps, row);
  if (!(await deleteChunks(deps.table, id, isOver))) return false;
  await deleteEntity(deps.table, id, BATCH_ROW_KEY);
  await closeAll(deps.table, id);
  log.info('batch-deleted', { batch: id, workload: row.workload });
  return true;
}

/** Writes the row `open` before the mark: a mark that no sweep sees would never be followed up. */
const markDeleting = (deps: DeleteDeps, id: string): Promise<BatchRow> =>
  retryLostRace(rowOf(id), async () => {
    const found = await readBatch(deps.table, id);
    if (!found) throw new Problem('not-found', `There is no batch "${id}".`);
    const { row, etag } = found;
    if (row.deletingAt !== undefined) return row;
    if (row.state === 'paused')
      throw new Problem('conflict', `Batch ${id} is paused; cancel it, and it can be deleted once it is finished.`);
    if (!isFinished(row.state))
      throw new Problem('conflict', `Batch ${id} is ${row.state}; it can be deleted once it is finished.`);
    // The end must be published while the data of the batch still exists.
    await announce(deps, row);
    await openBatch(deps.table, row);
    const next = { ...row, deletingAt: new Date(deps.gate.now()).toISOString() };
    const isMarked = row.announced && (await writeRow(deps.table, toBatchEntity(next), etag)) !== undefined;
    return isMarked ? next : LOST_RACE;
  });

/**
 * Everything under these prefixes belongs to this batch, including blobs that never counted: outcomes and payloads that
 * lost a race.
 */
function foldersOf({ id, workload }: BatchRow): [container: string, prefix: string][] {
  return [
    [CONTAINERS.results, outcomeBlobName(workload, id, '').replace(/[^/]*$/, '')],
    [CONTAINERS.reports, `${id}/`],
    [CONTAINERS.redrives, `${id}/`],
    [CONTAINERS.payloads, `${id}/`],
  ];
}

async function deleteBlobs(container: ContainerClient, prefix: string, isOver: () => boolean): Promise<boolean> {
  const names: string[] = [];
  const flush = (): Promise<unknown> =>
    inParallel(names.splice(0), DELETES_AT_ONCE, (name) => container.getBlobClient(name).deleteIfExists());
  for await (const { name } of container.listBlobsFlat({ prefix })) {
    if (names.push(name) < BLOBS_PER_GROUP) continue;
    await flush();
    if (isOver()) return false;
  }
  await flush();
  return true;
}

/**
 * Deletes the file from the inbox, which contains the same records, if it is still the one that became this batch. Also
 * deletes the row of its content.
 */
async function deleteInboxFile(deps: DeleteDeps, row: BatchRow): Promise<void> {
  const { id, workload, digest, sourceKind, sourceName } = row;
  if (sourceKind !== 'inbox') return;
  await freeKey(deps.keys, contentRowOf(workload, digest), id);
  const blob = deps.container(CONTAINERS.inboxDone).getBlobClient(sourceName);
  try {
    const { metadata, etag } = await blob.getProperties();
    if (metadata?.batch === id) await blob.delete({ conditions: { ...(etag === undefined ? {} : { ifMatch: etag }) } });
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
  }
}
