import { describe, expect, test } from 'vitest';
import type { BatchRow } from '../../../../shared/batches/batch-row.ts';
import { changeBatch, insertBatch } from '../../../../shared/batches/ledger.ts';
import { writeOpenRow } from '../../../../shared/batches/listing/open-rows.ts';
import { createOpenBatchReader, MAX_ROWS_READ, pendingOf } from '../../../../shared/batches/watch/read-open-batches.ts';
import { BATCH, batchRowOf } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

const idOf = (n: number): string => `01985a00-0000-7000-8000-${String(n).padStart(12, '0')}`;

function fixture() {
  const { table, before } = memoryTable();
  let reads = 0;
  before(async (name) => {
    if (name === 'table.get') reads += 1;
  });
  const clock = { now: 0 };
  const add = async (fields: Partial<BatchRow>): Promise<void> => {
    await writeOpenRow(table, batchRowOf(fields));
    await insertBatch(table, batchRowOf(fields), []);
  };
  return { table, clock, add, reads: () => reads, read: createOpenBatchReader(table, () => clock.now) };
}

describe('the open batches', () => {
  test('are read once per 10 s, and immediately if requested or after a redrive', async () => {
    const { table, clock, add, reads, read } = fixture();
    await add({ state: 'completedWithDeadLetters' });
    const readsAfter = async (options?: { fresh: boolean }): Promise<number> => {
      const before = reads();
      await read(options);
      return reads() - before;
    };
    const counts = [await readsAfter(), await readsAfter(), await readsAfter({ fresh: true })];
    clock.now += 10_000;
    counts.push(await readsAfter());
    await writeOpenRow(table, batchRowOf({ revision: 1 }));
    await changeBatch(table, BATCH, () => ({ revision: 1 }));
    expect([...counts, await readsAfter(), await readsAfter()]).toEqual([1, 0, 1, 1, 1, 0]);
  });

  test('have one entry for a redriven batch, with its present row', async () => {
    const { table, add, read } = fixture();
    await add({ revision: 1, accepted: 9, succeeded: 5, dead: 1 });
    await writeOpenRow(table, batchRowOf({ revision: 0 }));
    const { batches } = await read();
    expect(batches.map((batch) => [batch.revision, pendingOf(batch)])).toEqual([[1, 3]]);
  });

  test('do not include an upload that was not accepted, and have no pending items once they have ended', async () => {
    const { table, add, read } = fixture();
    await writeOpenRow(table, batchRowOf({ id: idOf(1) }));
    await add({ id: idOf(2), state: 'completed', succeeded: 4 });
    const { batches, read: count } = await read();
    expect(batches.map((batch) => [batch.id, pendingOf(batch)])).toEqual([[idOf(2), 0]]);
    expect(count).toBe(1);
  });

  test('are read in order of their deadline; after the first 200 they are shown as they were opened', async () => {
    const { add, read } = fixture();
    for (let n = 0; n <= MAX_ROWS_READ; n++) {
      const deadlineAt = new Date(Date.UTC(2026, 0, 2) - n).toISOString();
      await add({ id: idOf(n), deadlineAt, accepted: 7, chunksTotal: 2, lane: 'bulk' });
    }
    const { batches, read: count } = await read();
    expect([batches.length, count]).toEqual([MAX_ROWS_READ + 1, MAX_ROWS_READ]);
    expect(batches[0]?.id).toBe(idOf(MAX_ROWS_READ));
    expect(batches.at(-1)).toMatchObject({ id: idOf(0), row: undefined, lane: 'bulk', items: 7, chunks: 2 });
    expect(batches.map(pendingOf).every((items) => items === 7)).toBe(true);
  });
});
