import { BatchGoneError } from '../../errors.ts';
import type { Entity } from '../../storage/entity.ts';
import { odata, queryEntities, type Table } from '../../storage/table.ts';
import { BATCH_ROW_KEY, type BatchRow, fromBatchEntity, type Versioned } from '../batch-row.ts';
import { type ChunkRow, chunkRowKey, fromChunkEntity } from '../chunk-row.ts';
import { type BatchProgress, fromProgressEntity, isProgressKey, PROGRESS_ROWS } from '../progress/progress-rows.ts';

/** A batch, the rows of chunks and of their follow-ups by chunk id, and the progress of running chunks. */
export interface ApplyRead {
  batch: Versioned<BatchRow>;
  chunks: Map<string, Versioned<ChunkRow>>;
  progress: BatchProgress[];
}

/**
 * Reads a batch with the rows that the ends of the chunks `ended` may change. Returns undefined if the batch does not
 * exist.
 *
 * Uses one query, in key order: the batch row comes before its chunk rows, as the ledger's first rule requires. The
 * rows of progress are between them. They are needed because the few chunks that have ended do not show when
 * long-running ones will end.
 */
export async function readForApply(table: Table, id: string, ended: readonly string[]): Promise<ApplyRead | undefined> {
  // A follow-up sorts after the id of its chunk without the retry number, up to the next character ("c.000001" <
  // "c.000001.r1"). With the retry number this would fail: r10 follows from r9, but sorts before it.
  const keys = ended.map((chunk) => chunkRowKey(chunk.replace(/\.r\d+$/, ''))).sort();
  const [from = '', to = ''] = [keys[0], `${keys.at(-1)}/`];
  const head = odata`RowKey ge ${BATCH_ROW_KEY} and RowKey lt ${PROGRESS_ROWS.to}`;
  const filter = `${odata`PartitionKey eq ${id}`} and ((${head}) or (${odata`RowKey ge ${from} and RowKey le ${to}`}))`;
  let batch: Versioned<BatchRow> | undefined;
  const chunks = new Map<string, Versioned<ChunkRow>>();
  const progress: BatchProgress[] = [];
  for await (const entity of queryEntities(table, filter)) {
    if (entity.rowKey === BATCH_ROW_KEY) batch = fromBatchEntity(entity);
    else if (isProgressKey(entity.rowKey)) progress.push(fromProgressEntity(entity));
    else addChunk(chunks, entity);
  }
  return batch && { batch, chunks, progress };
}

/**
 * Reads like `readForApply`.
 * @throws BatchGoneError also if the batch is being deleted.
 */
export async function requireForApply(table: Table, id: string, ended: readonly string[]): Promise<ApplyRead> {
  const read = await readForApply(table, id, ended);
  if (!read || read.batch.row.deletingAt !== undefined)
    throw new BatchGoneError(id, { isBeingDeleted: read !== undefined });
  return read;
}

function addChunk(chunks: Map<string, Versioned<ChunkRow>>, entity: Entity): void {
  const found = fromChunkEntity(entity);
  chunks.set(found.row.chunk, found);
}
