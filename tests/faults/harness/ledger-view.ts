/** The content of the stored rows, read without faults. */
import { odata } from '@azure/data-tables';
import { type BatchRow, fromBatchEntity } from '../../../shared/batches/batch-row.ts';
import { type ChunkRow, fromChunkEntity } from '../../../shared/batches/chunk-row.ts';
import { queryEntities, type Table } from '../../../shared/storage/table.ts';

/** All rows of a batch as one query returns them. */
export interface LedgerView {
  batch: BatchRow;
  etag: string;
  chunks: ChunkRow[];
}

/** Undefined while the batch is not accepted. */
export async function readLedger(table: Table, id: string): Promise<LedgerView | undefined> {
  let view: Omit<LedgerView, 'chunks'> | undefined;
  const chunks: ChunkRow[] = [];
  for await (const entity of queryEntities(table, odata`PartitionKey eq ${id}`)) {
    if (entity.rowKey === 'batch') {
      const { row, etag } = fromBatchEntity(entity as never);
      view = { batch: row, etag };
    } else if (entity.rowKey.startsWith('c.')) chunks.push(fromChunkEntity(entity as never).row);
  }
  return view && { ...view, chunks };
}

/**
 * accepted = succeeded + dead + discarded + cancelled + pending, with pending summed over the pending rows. Returns a
 * text if this is violated.
 */
export function brokenLaw({ batch, chunks }: LedgerView): string | undefined {
  const pending = chunks.filter(({ state }) => state === 'pending').reduce((sum, { items }) => sum + items, 0);
  const { accepted, succeeded, dead, discarded, cancelled, state } = batch;
  if (state === 'enqueueing' || accepted === succeeded + dead + discarded + cancelled + pending) return undefined;
  const given = `${succeeded} succeeded + ${dead} dead + ${discarded} discarded + ${cancelled} cancelled`;
  return `${accepted} accepted is not ${given} + ${pending} pending (${state})`;
}
