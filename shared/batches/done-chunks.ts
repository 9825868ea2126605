import { odata, queryEntities, type Table } from '../storage/table.ts';
import { CHUNK_ROWS, type ChunkRow, chunkRowKey, fromChunkEntity } from './chunk-row.ts';

/**
 * Reads the finished chunks of a batch in id order, starting with chunk `from`: one operation per 1,000 rows that are
 * consumed.
 */
export async function* doneChunks(table: Table, id: string, from?: string): AsyncGenerator<ChunkRow> {
  const first = from === undefined ? CHUNK_ROWS.from : chunkRowKey(from);
  const filter = odata`PartitionKey eq ${id} and RowKey ge ${first} and RowKey lt ${CHUNK_ROWS.to} and state eq ${'done'}`;
  for await (const entity of queryEntities(table, filter)) yield fromChunkEntity(entity).row;
}
