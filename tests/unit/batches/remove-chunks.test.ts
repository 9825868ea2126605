import { expect, test } from 'vitest';
import { chunkRows, insertBatch, insertChunks, readBatch } from '../../../shared/batches/ledger.ts';
import { deleteChunks } from '../../../shared/batches/remove-batch.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { BATCH, batchRowOf, chunkRowOf } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

/** A batch of 150 chunks: more than one transaction can delete. */
async function large(): Promise<Table> {
  const { table } = memoryTable();
  const chunks = Array.from({ length: 150 }, (_, n) => chunkRowOf({ chunk: String(n).padStart(6, '0') }));
  await insertBatch(table, batchRowOf({ chunksTotal: chunks.length }), []);
  await insertChunks(table, chunks);
  return table;
}

async function countRows(table: Table): Promise<number> {
  let count = 0;
  for await (const _ of chunkRows(table, BATCH)) count += 1;
  return count;
}

test('the chunk rows of a batch are deleted, and its own row stays', async () => {
  const table = await large();

  expect(await deleteChunks(table, BATCH, () => false)).toBe(true);
  expect(await countRows(table)).toBe(0);
  expect(await readBatch(table, BATCH)).toBeDefined();
});

test('a deletion stops when its time is up, and its repeat deletes the rest', async () => {
  const table = await large();

  expect(await deleteChunks(table, BATCH, () => true)).toBe(false);
  expect(await countRows(table)).toBe(50);
  expect(await deleteChunks(table, BATCH, () => true)).toBe(true);
  expect(await countRows(table)).toBe(0);
});
