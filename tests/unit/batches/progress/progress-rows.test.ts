import { expect, test } from 'vitest';
import { insertBatch } from '../../../../shared/batches/ledger.ts';
import {
  type BatchProgress,
  readBatchAndProgress,
  sumFresh,
  writeProgress,
} from '../../../../shared/batches/progress/progress-rows.ts';
import { BATCH, batchRowOf, chunkRowOf } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

const NOW_MS = Date.parse('2026-01-01T00:10:00.000Z');
const secondsAgo = (seconds: number): string => new Date(NOW_MS - seconds * 1_000).toISOString();
const progressOf = (fields: Partial<BatchProgress> = {}): BatchProgress => ({
  ...{ chunks: 1, items: 100, ended: 10, inFlight: 5, failing: 2, at: secondsAgo(5) },
  ...fields,
});

test('a batch is read with the progress of each process, by one query that reads no chunk row', async () => {
  const { table, before } = memoryTable();
  await insertBatch(table, batchRowOf(), [chunkRowOf({ chunk: '000000' })]);
  const rows = [progressOf(), progressOf({ error: 'Error: busy', at: secondsAgo(1) })];
  await writeProgress(table, { batch: BATCH, processId: 'a' }, rows[0]);
  await writeProgress(table, { batch: BATCH, processId: 'b' }, rows[1]);
  const calls: string[] = [];
  before(async (name) => void calls.push(name));

  const found = await readBatchAndProgress(table, BATCH);

  expect(found?.row).toEqual(batchRowOf());
  expect(found?.progress).toEqual(rows);
  expect(calls).toEqual(['table.list']);
});

test('a row is replaced as a whole, and deleting it may be repeated', async () => {
  const { table } = memoryTable();
  const keys = { batch: BATCH, processId: 'a' };
  await insertBatch(table, batchRowOf(), []);
  await writeProgress(table, keys, progressOf({ error: 'Error: busy' }));
  await writeProgress(table, keys, progressOf({ ended: 11 }));
  expect((await readBatchAndProgress(table, BATCH))?.progress).toEqual([progressOf({ ended: 11 })]);

  await writeProgress(table, keys, undefined);
  await writeProgress(table, keys, undefined);

  expect((await readBatchAndProgress(table, BATCH))?.progress).toEqual([]);
});

test('progress rows without a batch row are not a batch', async () => {
  const { table } = memoryTable();
  await writeProgress(table, { batch: BATCH, processId: 'a' }, progressOf());

  expect(await readBatchAndProgress(table, BATCH)).toBeUndefined();
});

test('fresh rows are summed, with the latest error and time; a row older than 30 s does not count', () => {
  const rows = [
    progressOf({ error: 'Error: older', at: secondsAgo(9) }),
    progressOf({ error: 'Error: latest', at: secondsAgo(4) }),
    progressOf({ at: secondsAgo(2) }),
    progressOf({ error: 'Error: of a dead process', at: secondsAgo(31) }),
  ];

  expect(sumFresh(rows, batchRowOf({ accepted: 1_000 }), NOW_MS)).toEqual({
    ...{ chunks: 3, items: 300, ended: 30, inFlight: 15, failing: 6, error: 'Error: latest' },
    at: secondsAgo(2),
  });
  expect(sumFresh(rows.slice(3), batchRowOf({ accepted: 1_000 }), NOW_MS)).toBeUndefined();
});

test('the sum is limited to pending items, since items of a collected chunk are counted already', () => {
  const batch = batchRowOf({ accepted: 100, succeeded: 95 });

  expect(sumFresh([progressOf({ ended: 90 })], batch, NOW_MS)?.ended).toBe(5);
});
