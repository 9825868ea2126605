import {
  deleteEntity,
  isLostRace,
  MAX_TRANSACTION_ACTIONS,
  odata,
  queryEntities,
  type Table,
} from '../storage/table.ts';
import { CHUNK_ROWS } from './chunk-row.ts';
import { PROGRESS_ROWS } from './progress/progress-rows.ts';

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
