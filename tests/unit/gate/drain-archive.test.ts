import { describe, expect, it } from 'vitest';
import { addSpent, type DrainRecord, MAX_DRAIN_RECORDS } from '../../../shared/cost/drains/drain-spending.ts';
import { DAY_MS } from '../../../shared/days.ts';
import { archiveSpent, readArchive } from '../../../shared/gate/drain-archive.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const QUEUE = 'billing-normal-0';
const NOW = Date.UTC(2026, 10, 23);

const drains = (count: number, first = 1): DrainRecord[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ generation: first + n, chunks: 1, received: true },
    operations: { 'queue.get': 1 },
  })).reduce<DrainRecord[]>((all, one) => addSpent(all, one), []);

/** A table on which one kind of call fails while `isDown()`. */
function failingTable(call: 'upsertEntity' | 'deleteEntity', isDown: () => boolean): Table {
  const { table } = memoryTable();
  const orDown =
    <Args extends unknown[], T>(works: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (isDown()) throw Object.assign(new Error('503'), { statusCode: 503 });
      return works(...args);
    };
  return { ...table, [call]: orDown(table[call] as (...args: unknown[]) => Promise<unknown>) };
}

describe('records of drains that cannot be archived', () => {
  it('stay in the gate while the drain continues, and are archived the next time', async () => {
    let isDown = true;
    const table = failingTable('upsertEntity', () => isDown);
    const spent = drains(MAX_DRAIN_RECORDS + 1);

    expect(await archiveSpent({ table, now: () => NOW }, { queue: QUEUE, spent })).toEqual(spent);
    isDown = false;
    expect(await archiveSpent({ table, now: () => NOW }, { queue: QUEUE, spent })).toEqual(spent.slice(-2));
    expect(await readArchive(table, { queue: QUEUE, first: 1, last: 11 })).toEqual(spent.slice(0, -2));
  });

  it('are limited in number', async () => {
    const table = failingTable('upsertEntity', () => true);
    let spent: readonly DrainRecord[] = [];
    for (let generation = 1; generation <= 500; generation += 1) {
      spent = await archiveSpent({ table, now: () => NOW }, { queue: QUEUE, spent });
      spent = [...spent, ...drains(1, generation)];
    }
    expect(spent.length).toBeLessThan(100);
    expect(spent.at(-1)?.[0]).toBe(500);
  });
});

describe('the archive of a queue', () => {
  /** Archives this many drains, one after the other. */
  async function archive(table: Table, first: number, last: number, nowMs: number) {
    let spent: readonly DrainRecord[] = [];
    for (let generation = first; generation <= last; generation += 1) {
      spent = await archiveSpent({ table, now: () => nowMs }, { queue: QUEUE, spent });
      spent = [...spent, ...drains(1, generation)];
    }
  }
  const generations = async (table: Table) =>
    (await readArchive(table, { queue: QUEUE, first: 0, last: 9_999 })).map(([generation]) => generation);

  it('drops records older than 100 days, wherever a row ends', async () => {
    for (const first of [1, 2, 5, 9]) {
      const { table } = memoryTable();
      await archive(table, first, 500, NOW);
      await archive(table, 501, 1_100, NOW + 101 * DAY_MS);
      expect(Math.min(...(await generations(table)))).toBeGreaterThan(490);
    }
  });

  it('keeps the other records', async () => {
    const { table } = memoryTable();
    await archive(table, 1, 1_100, NOW);
    expect(Math.min(...(await generations(table)))).toBe(1);
  });

  it('does not stop a drain if its old rows cannot be deleted', async () => {
    const table = failingTable('deleteEntity', () => true);
    await archive(table, 1, 500, NOW);
    await archive(table, 501, 1_100, NOW + 101 * DAY_MS);
    expect((await generations(table)).length).toBeGreaterThan(1_000);
  });
});
