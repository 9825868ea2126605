import { odata, queryEntities, type Table } from '../storage/table.ts';
import { CHUNK_ROWS, type ChunkRow, chunkRowKey, fromChunkEntity } from './chunk-row.ts';

/** The finished chunks of a batch in id order, from chunk `from` on; an operation a thousand, and only as far as is read. */
export async function* doneChunks(table: Table, id: string, from?: string): AsyncGenerator<ChunkRow> {
  const first = from === undefined ? CHUNK_ROWS.from : chunkRowKey(from);
  const filter = odata`PartitionKey eq ${id} and RowKey ge ${first} and RowKey lt ${CHUNK_ROWS.to} and state eq ${'done'}`;
  for await (const entity of queryEntities(table, filter)) yield fromChunkEntity(entity).row;
}
