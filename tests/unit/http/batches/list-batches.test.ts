import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../../../shared/batches/batch-row.ts';
import { toIndexEntity } from '../../../../shared/batches/listing/index-rows.ts';
import { batchTimeMs } from '../../../../shared/contract/names.ts';
import { type BatchList, batchListSchema, listBatches } from '../../../../shared/http/batches/list-batches.ts';
import type { Table } from '../../../../shared/storage/table.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';
import { requestFor } from '../requests.ts';

const DAY = '2026-11-20';
const START = Date.parse(`${DAY}T10:00:00.000Z`);
const COUNT = 4_300;

const idOf = (nth: number): string => {
  const time = (START + nth * 1_000).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(nth).padStart(12, '0')}`;
};
const timeOf = (nth: number): string => new Date(START + nth * 1_000).toISOString();

/** A day of finished batches, one per second. The oldest and a middle one have a different file and label. */
const rows: BatchRow[] = Array.from({ length: COUNT }, (_, nth) =>
  batchRowOf({
    ...{ id: idOf(nth), state: 'completed', completedAt: timeOf(nth) },
    fileName: nth === 0 ? 'Invoices.csv' : 'usage.csv',
    labels: { tenant: nth === 2_150 ? 'Contoso' : 'fabrikam' },
  }),
);
/** Rows as the SDK reads them: numbers without the type with which they were stored. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' ? Number((value as { value: string }).value) : value;
const lines = rows
  .map((row) => Object.fromEntries(Object.entries(toIndexEntity(row)).map(([name, value]) => [name, plain(value)])))
  .sort((a, b) => (String(a.rowKey) < String(b.rowKey) ? -1 : 1));

/** Answers the queries of a listing: one day, after a row key. */
const table = {
  listEntities: async function* ({ queryOptions: { filter } }: { queryOptions: { filter: string } }) {
    const [, partition = ''] = /PartitionKey eq '([^']*)'/.exec(filter) ?? [];
    const [, after = ''] = /RowKey gt '([^']*)'/.exec(filter) ?? [];
    for (const line of lines)
      if (line.partitionKey === partition && String(line.rowKey) > after) yield { ...line, etag: '1' };
  },
} as unknown as Table;

const get = async (query: string) => {
  const deps = { table, gate: { table, now: () => START + 86_400_000 }, registry: createRegistry([]) };
  const { jsonBody, headers } = await listBatches(deps, requestFor(`batches?${query}`));
  const { link = '' } = (headers ?? {}) as Record<string, string>;
  return { list: batchListSchema.parse(jsonBody), next: /\?([^>]*)>/.exec(link)?.[1] };
};

async function pagesOf(query: string): Promise<BatchList[]> {
  const pages: BatchList[] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const page = await get(next);
    pages.push(page.list);
    next = page.next;
  }
  return pages;
}
const found = (pages: BatchList[]): string[] => pages.flatMap(({ batches }) => batches.map(({ id }) => id));

describe('GET batches?search=', () => {
  it('continues after pages without a match, and reports how far each page has searched', async () => {
    const pages = await pagesOf(`day=${DAY}&search=invoices`);
    expect(pages.map(({ batches, scanned }) => [batches.length, scanned])).toEqual([
      [0, { batches: 2_000, until: timeOf(COUNT - 2_000) }],
      [0, { batches: 2_000, until: timeOf(COUNT - 4_000) }],
      [1, { batches: 300, until: timeOf(0) }],
    ]);
    expect(found(pages)).toEqual([idOf(0)]);
  });

  it('finds the value of a label and the end of an id, on full pages', async () => {
    expect(found(await pagesOf(`day=${DAY}&search=CONTOSO`))).toEqual([idOf(2_150)]);
    const pages = await pagesOf(`day=${DAY}&search=000042&limit=1`);
    expect(found(pages)).toEqual([idOf(42)]);
    const counted = pages.reduce((sum, { scanned }) => sum + scanned.batches, 0);
    expect(counted).toBe(COUNT);
  });

  it('counts no batch twice across pages', async () => {
    const { list, next } = await get(`day=${DAY}&limit=3`);
    expect(list.scanned).toEqual({ batches: 3, until: timeOf(COUNT - 3) });
    const after = new URLSearchParams(next).get('after') ?? '';
    expect(batchTimeMs(after)).toBe(Date.parse(timeOf(COUNT - 3)));
  });

  it('reports no compared batches if there are none', async () => {
    expect((await get('day=2026-11-19&search=usage')).list.scanned).toEqual({ batches: 0, until: null });
  });

  it.each(['', '%20', 'x'.repeat(256)])('refuses "%s"', async (text) => {
    await expect(get(`search=${text}`)).rejects.toThrow(/^search must have 1 to 255 characters/);
  });
});
