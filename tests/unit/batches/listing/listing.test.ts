import { expect, test } from 'vitest';
import type { BatchRow } from '../../../../shared/batches/batch-row.ts';
import { insertBatch } from '../../../../shared/batches/ledger.ts';
import { indexBatch } from '../../../../shared/batches/listing/index-rows.ts';
import { type ListingQuery, listBatchesOf } from '../../../../shared/batches/listing/listing.ts';
import { writeOpenRow } from '../../../../shared/batches/listing/open-rows.ts';
import { batchDate, newBatchId } from '../../../../shared/contract/names.ts';
import type { Table } from '../../../../shared/storage/table.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const at = (second: number): string => newBatchId(START + second * 1_000);
const DAY = batchDate(at(0));

/** An open batch: its row and its row `open`. */
async function openAt(table: Table, second: number, fields: Partial<BatchRow> = {}): Promise<BatchRow> {
  const row = batchRowOf({ id: at(second), state: 'running', ...fields });
  await writeOpenRow(table, row);
  await insertBatch(table, row, []);
  return row;
}

async function endedAt(table: Table, second: number): Promise<string> {
  const row = batchRowOf({ id: at(second), state: 'completed', completedAt: new Date(START).toISOString() });
  await insertBatch(table, row, []);
  await indexBatch(table, row);
  return row.id;
}

const idsOf = async (table: Table, query: Partial<ListingQuery> = {}): Promise<string[]> =>
  (await listBatchesOf(table, { days: [DAY], limit: 200, ...query })).batches.map(({ id }) => id);

test('an open batch is listed together with finished ones, newest first', async () => {
  const { table } = memoryTable();
  const [first, third] = [await endedAt(table, 1), await endedAt(table, 3)];
  const opened: BatchRow[] = [];
  for (const second of [0, 2, 4, 5]) opened.push(await openAt(table, second));
  const [zeroth, second, fourth, fifth] = opened.map(({ id }) => id);

  expect(await idsOf(table)).toEqual([fifth, fourth, third, second, first, zeroth]);
  expect(await idsOf(table, { after: third })).toEqual([second, first, zeroth]);
  expect(await idsOf(table, { after: second, limit: 1 })).toEqual([first]);
});

test('a batch that has a line and is still open is listed once, in its present state', async () => {
  const { table } = memoryTable();
  const row = await openAt(table, 1, { state: 'completed' });
  await indexBatch(table, { ...row, dead: 7 });

  const { batches } = await listBatchesOf(table, { days: [DAY], limit: 200 });

  expect(batches).toMatchObject([{ id: row.id, state: 'completed', dead: 0 }]);
});

test('filters apply to an open batch', async () => {
  const { table } = memoryTable();
  const fields = { workload: 'other', fileName: 'Invoices.csv', labels: { tenant: 'contoso' } };
  const { id } = await openAt(table, 1, fields);

  for (const fits of [
    { workload: 'other' },
    { labels: [['tenant', 'contoso']] as const },
    { search: 'invoices' },
    { state: 'running' as const },
  ])
    expect(await idsOf(table, fits)).toEqual([id]);
  for (const other of [
    { workload: 'billing' },
    { labels: [['tenant', 'fabrikam']] as const },
    { search: 'usage' },
    { state: 'queued' as const },
    { days: ['2026-11-19'] },
  ])
    expect(await idsOf(table, other)).toEqual([]);
});

test('an upload that was never accepted is not listed, nor is a batch that is being deleted', async () => {
  const { table } = memoryTable();
  await writeOpenRow(table, batchRowOf({ id: at(1) }));
  await openAt(table, 2, { state: 'completed', deletingAt: new Date(START).toISOString() });

  expect(await idsOf(table)).toEqual([]);
});
