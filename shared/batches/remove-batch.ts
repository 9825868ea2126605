/**
 * Removes the data of a batch: for its deletion, and for a process that finds, after a write, that the batch was deleted.
 * A late worker, a redrive that selects or a slow intake can write behind the deletion. Nothing else would ever find that,
 * and neither a check before each write nor a permanent mark of each deleted batch is needed: the next step of each of
 * them reads or changes the batch row anyway, and finds it gone.
 */
import type { ContainerClient } from '@azure/storage-blob';
import { CONTAINERS, checkpointBlobName, outcomeBlobName } from '../contract/names.ts';
import { BatchGoneError } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import {
  deleteEntity,
  isLostRace,
  MAX_TRANSACTION_ACTIONS,
  odata,
  queryEntities,
  type Table,
} from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { BATCH_ROW_KEY, type BatchRow } from './batch-row.ts';
import { CHUNK_ROWS } from './chunk-row.ts';
import { unindexBatch } from './listing/index-rows.ts';
import { deleteOpenRows } from './listing/open-rows.ts';
import { PROGRESS_ROWS } from './progress/progress-rows.ts';

const DELETES_AT_ONCE = 16;
const BLOBS_PER_GROUP = 256;

export interface BatchStore {
  table: Table;
  container: (name: string) => ContainerClient;
}

/** A batch whose data is removed. The workload is part of the names of outcomes. */
export type RemovedBatch = Pick<BatchRow, 'id' | 'workload'>;

/**
 * Removes the line of a batch in the listing, its blobs, and its rows except the batch row and the row `open`. Returns
 * false if `isOver` returned true first; then some are left.
 */
export async function removeData(
  deps: BatchStore,
  batch: RemovedBatch,
  isOver: () => boolean = () => false,
): Promise<boolean> {
  await unindexBatch(deps.table, batch.id);
  for (const [container, prefix] of foldersOf(batch)) {
    if (!(await deleteBlobs(deps.container(container), prefix, isOver))) return false;
  }
  return deleteChunks(deps.table, batch.id, isOver);
}

/**
 * Removes a batch that is marked with `deletingAt`: its row after its data, so that an interrupted removal can start
 * again. Returns false if `isOver` returned true first.
 */
export async function removeBatch(deps: BatchStore, batch: RemovedBatch, isOver?: () => boolean): Promise<boolean> {
  if (!(await removeData(deps, batch, isOver))) return false;
  await deleteEntity(deps.table, batch.id, BATCH_ROW_KEY);
  await deleteOpenRows(deps.table, batch.id);
  return true;
}

/** Removes everything that was written after the deletion of a batch without a row. */
async function removeLeftovers(deps: BatchStore, batch: RemovedBatch): Promise<void> {
  await removeData(deps, batch);
  await deps.container(CONTAINERS.payloads).getBlobClient(checkpointBlobName(batch.id)).deleteIfExists();
  await deleteOpenRows(deps.table, batch.id);
  log.info('leftovers-removed', { batch: batch.id, workload: batch.workload });
}

/**
 * Runs work on a batch, and removes what it may have written if the batch was deleted meanwhile. `batch.workload` is set
 * as soon as the row of the batch was read; before that, nothing was written.
 * @throws any error of `work`
 */
export async function cleaningUp<T>(
  deps: BatchStore,
  batch: Partial<RemovedBatch> & Pick<RemovedBatch, 'id'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { id, workload } = batch;
    if (error instanceof BatchGoneError && workload !== undefined) {
      // The row `open` lets the sweep complete an interrupted deletion, which removes that row at its end.
      if (error.isBeingDeleted) await removeData(deps, { id, workload });
      else await removeLeftovers(deps, { id, workload });
    }
    throw error;
  }
}

/** All blobs under these prefixes belong to the batch, also outcomes and payloads that lost a race. */
function foldersOf({ id, workload }: RemovedBatch): [container: string, prefix: string][] {
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

/** Deletes all rows of a batch except the batch row. Returns false if `isOver` returned true first; then some rows are left. */
export async function deleteChunks(table: Table, id: string, isOver: () => boolean): Promise<boolean> {
  const range = odata`PartitionKey eq ${id} and RowKey ge ${PROGRESS_ROWS.from} and RowKey lt ${CHUNK_ROWS.to}`;
  let keys: string[] = [];
  for await (const { rowKey } of queryEntities(table, range)) {
    if (keys.push(rowKey) < MAX_TRANSACTION_ACTIONS) continue;
    await deleteRows(table, id, keys);
    if (isOver()) return false;
    keys = [];
  }
  await deleteRows(table, id, keys);
  return true;
}

/** If another process has deleted one of the rows, the whole transaction fails; then they are deleted one by one. */
async function deleteRows(table: Table, id: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  try {
    await table.submitTransaction(keys.map((rowKey) => ['delete', { partitionKey: id, rowKey }]));
  } catch (error) {
    if (!isLostRace(error)) throw error;
    for (const rowKey of keys) await deleteEntity(table, id, rowKey);
  }
}
