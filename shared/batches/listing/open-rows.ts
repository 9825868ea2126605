/**
 * Partition `open`: the batches that a sweep must check, so that an idle sweep is one query. It contains one row per
 * batch and revision whose end is not announced yet. The row is written before anything else of its revision, so that
 * no accepted work is ever unseen. Listings read batches from here that have no line yet (index-rows.ts).
 */
import { type Entity, fromEntity, toEntity } from '../../storage/entity.ts';
import { defineRow, int64, pickColumns, pickValues, type RowOf, type Values } from '../../storage/row.ts';
import { deleteEntity, odata, queryEntities, type Table } from '../../storage/table.ts';
import { BATCH, type BatchCounts, type BatchRow, pendingItems } from '../batch-row.ts';

const OPEN = 'open';
/** Notes of the sweeps sort after all ids, and are returned by the same query. */
const NOTE = '~';

const OF_BATCH = pickColumns(BATCH, ['workload', 'lane', 'deadlineAt', 'fileName', 'labels']);

/** The row of an open batch, as of the opening of the revision, with the numbers of its items and chunks. */
export const OPEN_BATCH = defineRow('open', { ...OF_BATCH, items: int64(), chunks: int64() });

/** An open batch. `openedAt` is when the service wrote its row, in milliseconds. */
export type OpenBatch = RowOf<typeof OPEN_BATCH> & Pick<BatchRow, 'id' | 'revision'> & { openedAt: number };

/** The fields of a batch that its row `open` contains. */
export type OpeningBatch = BatchCounts &
  Values<typeof OF_BATCH> &
  Pick<BatchRow, 'id' | 'revision' | 'chunksTotal' | 'chunksDone'>;

/** Each revision has a row: deleting that of an ended one never hides a revision that was opened meanwhile. */
const rowKeyOf = ({ id, revision }: Pick<BatchRow, 'id' | 'revision'>): string =>
  revision === 0 ? id : `${id}.${String(revision).padStart(4, '0')}`;

/** Writes the row of a revision: from then on a sweep sees the batch. */
export async function writeOpenRow(table: Table, batch: OpeningBatch): Promise<void> {
  const { chunksTotal, chunksDone } = batch;
  const columns = { ...pickValues(OF_BATCH, batch), items: pendingItems(batch), chunks: chunksTotal - chunksDone };
  await table.upsertEntity(toEntity(OPEN_BATCH, { partitionKey: OPEN, rowKey: rowKeyOf(batch) }, columns), 'Replace');
}

/** Deletes the row of a revision, after its end has been announced. */
export const deleteOpenRow = (table: Table, batch: Pick<BatchRow, 'id' | 'revision'>): Promise<void> =>
  deleteEntity(table, OPEN, rowKeyOf(batch));

/** Deletes the rows of all revisions of a deleted batch. */
export async function deleteOpenRows(table: Table, id: string): Promise<void> {
  const filter = odata`PartitionKey eq ${OPEN} and RowKey ge ${id} and RowKey lt ${`${id}/`}`;
  for await (const { rowKey } of queryEntities(table, filter)) await deleteEntity(table, OPEN, rowKey);
}

/** Reads the open batches, or those of one workload, oldest first. A batch that is redriven as it ends may be returned twice. */
export async function* openBatches(table: Table, workload?: string): AsyncGenerator<OpenBatch> {
  const all = odata`PartitionKey eq ${OPEN} and RowKey lt ${NOTE}`;
  const filter = workload === undefined ? all : `${all} and ${odata`workload eq ${workload}`}`;
  for await (const entity of queryEntities(table, filter)) yield toOpenBatch(entity);
}

/** Reads the whole partition: the open batches, and the notes by name. */
export async function readOpen(table: Table): Promise<{ batches: OpenBatch[]; notes: Map<string, Entity> }> {
  const batches: OpenBatch[] = [];
  const notes = new Map<string, Entity>();
  for await (const entity of queryEntities(table, odata`PartitionKey eq ${OPEN}`)) {
    if (entity.rowKey.startsWith(NOTE)) notes.set(entity.rowKey.slice(NOTE.length), entity);
    else batches.push(toOpenBatch(entity));
  }
  return { batches, notes };
}

export const noteKeys = (name: string): { partitionKey: string; rowKey: string } => ({
  partitionKey: OPEN,
  rowKey: `${NOTE}${name}`,
});

function toOpenBatch(entity: Entity): OpenBatch {
  const [id = '', revision = '0'] = entity.rowKey.split('.');
  const openedAt = Date.parse(String(entity.timestamp));
  return { ...fromEntity(OPEN_BATCH, entity), id, revision: Number(revision), openedAt };
}
