import { describe, expect, it } from 'vitest';
import { type BatchRow, toBatchEntity } from '../../../../shared/batches/batch-row.ts';
import { indexBatch } from '../../../../shared/batches/listing/index-rows.ts';
import { writeOpenRow } from '../../../../shared/batches/listing/open-rows.ts';
import { newBatchId } from '../../../../shared/contract/names.ts';
import { createOverhead } from '../../../../shared/cost/overhead.ts';
import { getCost } from '../../../../shared/http/cost/get-cost.ts';
import { costSchema } from '../../../../shared/http/cost/schemas.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';
import { type MemoryTable, memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { BASIS } from '../../../helpers/fakes/receipt-basis.ts';
import { requestFor } from '../requests.ts';

const NOW_MS = Date.parse('2026-03-31T12:00:00.000Z');
const DAY_MS = 86_400_000;

async function costOf({ table }: MemoryTable, query = '', maxLines?: number) {
  const { jsonBody } = await getCost(
    {
      ...{ table, sinceMs: 0, basis: BASIS, overhead: createOverhead(), registry: { workloads: [] } },
      meter: { total: () => ({}), serviceNowMs: () => NOW_MS },
      settings: { sweepSchedule: '0 */15 * * * *', inboxSchedule: undefined, instance: undefined },
      ...(maxLines === undefined ? {} : { maxLines }),
    },
    requestFor(`cost${query}`),
  );
  return costSchema.parse(jsonBody);
}

const batchAt = (ms: number, fields: Partial<BatchRow> = {}): BatchRow =>
  batchRowOf({ id: newBatchId(ms), state: 'completed', accepted: 10, ...fields });

describe('GET cost', () => {
  it('reads the newest 500 open batches of the month side by side, and counts the others', async () => {
    const store = memoryTable();
    for (let n = 0; n < 510; n += 1) {
      const row = batchAt(NOW_MS - n, { state: 'running' });
      await writeOpenRow(store.table, row);
      await store.table.createEntity(toBatchEntity(row));
    }
    let [reads, now, most] = [0, 0, 0];
    store.before(async (name) => {
      if (name !== 'table.get') return;
      reads += 1;
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
    });

    const { month, notScanned, notIncluded } = await costOf(store);

    expect({ batches: month.batches, items: month.items, notScanned, reads }).toEqual({
      ...{ batches: 500, items: 5_000, notScanned: 10, reads: 500 },
    });
    expect(notIncluded.at(-1)).toBe('10 open batches: a request reads 500');
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThan(33);
  });

  it('omits the weeks before those with too many batches, but not the requested day', async () => {
    const store = memoryTable();
    for (const days of [0, 3, 8, 20, 20, 45]) await indexBatch(store.table, batchAt(NOW_MS - days * DAY_MS));

    const all = await costOf(store);
    expect(all).toMatchObject({ scanned: 5, notScanned: 0, day: { batches: 1 } });
    expect(all.month).toMatchObject({ from: '2026-03-01', to: '2026-03-31', batches: 5 });

    const cut = await costOf(store, '?day=2026-03-11', 2);
    expect(cut).toMatchObject({ scanned: 4, day: { from: '2026-03-11', batches: 2 } });
    expect(cut.month).toMatchObject({ from: '2026-03-25', to: '2026-03-31', batches: 2 });
  });
});
