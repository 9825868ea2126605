import { chunkRows, insertBatch, readBatch } from '../../../shared/batches/ledger.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { BATCH, batchRowOf, chunkRowOf } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

export const AT = { at: '2026-01-01T00:01:00.000Z' };

export async function accepted(chunks: string[], items = 4) {
  const store = memoryTable();
  const row = batchRowOf({ accepted: chunks.length * items, chunksTotal: chunks.length });
  await insertBatch(
    store.table,
    row,
    chunks.map((chunk) => chunkRowOf({ chunk, items })),
  );
  return store;
}

export async function pendingOf(table: Table): Promise<string[]> {
  const ids: string[] = [];
  for await (const row of chunkRows(table, BATCH, { state: 'pending' })) ids.push(row.chunk);
  return ids;
}

/** Checks accepted = succeeded + dead + discarded + cancelled + items of pending rows. */
export async function lawHolds(table: Table): Promise<boolean> {
  const { row } = (await readBatch(table, BATCH)) ?? { row: batchRowOf() };
  let pending = 0;
  for await (const chunk of chunkRows(table, BATCH, { state: 'pending' })) pending += chunk.items;
  return row.accepted === row.succeeded + row.dead + row.discarded + row.cancelled + pending;
}
