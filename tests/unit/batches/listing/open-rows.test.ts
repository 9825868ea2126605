import { expect, test } from 'vitest';
import {
  deleteOpenRow,
  deleteOpenRows,
  openBatches,
  writeOpenRow,
} from '../../../../shared/batches/listing/open-rows.ts';
import type { Table } from '../../../../shared/storage/table.ts';
import { BATCH, batchRowOf } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

const revision = (n: number) => batchRowOf({ revision: n });

async function openOf(table: Table): Promise<number[]> {
  const revisions: number[] = [];
  for await (const open of openBatches(table)) revisions.push(open.revision);
  return revisions;
}

test('closing a revision that has ended does not close the one that a redrive opened', async () => {
  const { table } = memoryTable();
  await writeOpenRow(table, revision(0));
  await writeOpenRow(table, revision(1));

  await deleteOpenRow(table, revision(0));

  expect(await openOf(table)).toEqual([1]);
});

test('opening and closing may be repeated', async () => {
  const { table } = memoryTable();
  for (const _ of [1, 2]) await writeOpenRow(table, revision(0));
  const opened = await openOf(table);
  for (const _ of [1, 2]) await deleteOpenRow(table, revision(0));

  expect(opened).toEqual([0]);
  expect(await openOf(table)).toEqual([]);
});

test('deleting a batch closes all its revisions', async () => {
  const { table } = memoryTable();
  for (const n of [0, 1, 2]) await writeOpenRow(table, revision(n));

  await deleteOpenRows(table, BATCH);

  expect(await openOf(table)).toEqual([]);
});
