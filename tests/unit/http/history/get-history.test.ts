import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../../../shared/batches/batch-row.ts';
import { indexBatch } from '../../../../shared/batches/listing/index-rows.ts';
import { nextRevision } from '../../../../shared/batches/revisions.ts';
import { recordAction } from '../../../../shared/commands/audit-log.ts';
import { newBatchId } from '../../../../shared/contract/names.ts';
import { getHistory } from '../../../../shared/http/history/get-history.ts';
import { historySchema } from '../../../../shared/http/history/schemas.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { BASIS } from '../../../helpers/fakes/receipt-basis.ts';
import { requestFor } from '../requests.ts';

const NOW = Date.parse('2026-03-31T12:00:00.000Z');
const ACTION = { target: 'q', by: '', verified: false, detail: '', status: 200 };

/** A finished batch with the given creation time, which took so many seconds and had 300. */
function finishedAt(created: string, seconds: number, fields: Partial<BatchRow> = {}): BatchRow {
  const ms = Date.parse(created);
  const at = (after: number): string => new Date(ms + after * 1000).toISOString();
  return batchRowOf({
    ...{ id: newBatchId(ms), state: 'completed', accepted: 100, operations: { 'blob.put': 1_000 } },
    ...{ openedAt: at(0), completedAt: at(seconds), deadlineAt: at(300), latencyP95: seconds * 900 },
    ...fields,
  });
}

const redrivenAt = (row: BatchRow, openedAt: string): BatchRow => ({
  ...{ ...row, ...nextRevision(row, { items: 1, openedAt, deadlineAt: openedAt }) },
  state: 'enqueueing',
});

async function historyOf(rows: BatchRow[], query: string) {
  const store = memoryTable();
  const filters: string[] = [];
  for (const row of rows) await indexBatch(store.table, row);
  store.before(async (name) => void filters.push(name));
  const deps = { table: store.table, now: () => NOW, basis: BASIS };
  const { jsonBody } = await getHistory(deps, requestFor(`history${query}`));
  return { history: historySchema.parse(jsonBody), queries: filters.length };
}

describe('the history', () => {
  it('covers the last 30 days by default, oldest day first, with a query per week and one for the audit log', async () => {
    const days = ['2026-03-01', '2026-03-02', '2026-03-24', '2026-03-25', '2026-03-31'];
    const rows = days.map((day) => finishedAt(`${day}T10:00:00.000Z`, 10));
    const { history, queries } = await historyOf(rows, '');
    expect(history).toMatchObject({ from: '2026-03-02', to: '2026-03-31', scanned: 4, markers: [] });
    expect(history.days.map(({ day }) => day)).toEqual(days.slice(1));
    expect(history).toMatchObject({
      sheet: '2026',
      currency: 'USD',
      unverified: expect.arrayContaining(['blob.write']),
    });
    expect(queries).toBe(6);
  });

  it('contains the slowest and the most urgent batch of a day, and the duration and cost of all', async () => {
    const rows = [
      finishedAt('2026-03-31T10:00:00.000Z', 10, { dead: 3, discarded: 2 }),
      finishedAt('2026-03-31T11:00:00.000Z', 400, { pausedMs: 10_000 }),
      finishedAt('2026-03-31T11:00:00.000Z', 10, { workload: 'other' }),
      finishedAt('2026-03-31T11:30:00.000Z', 10, { state: 'running', completedAt: undefined }),
    ];
    const { history } = await historyOf(rows, '?day=2026-03-31');
    expect(history.days.map(({ workload, batches }) => [workload, batches])).toEqual([
      ['billing', 2],
      ['other', 1],
    ]);
    const [billing, other] = history.days;
    expect(billing).toMatchObject({
      ...{
        items: 200,
        dead: 3,
        discarded: 2,
        deadlinesMissed: 1,
        latencyP95Ms: 360_000,
        deadlineMs: 300_000,
        itemsPerSecond: 0.5,
      },
    });
    expect(billing?.operations).toBe(2 * (other?.operations ?? 0));
    expect(billing?.usd).toBeGreaterThan(other?.usd ?? 1);
  });

  it('judges a batch by its first revision, also during a redrive', async () => {
    const row = finishedAt('2026-03-31T10:00:00.000Z', 400);
    const { history } = await historyOf([redrivenAt(row, '2026-03-31T11:00:00.000Z')], '?day=2026-03-31');
    expect(history.days).toMatchObject([
      { batches: 1, deadlinesMissed: 1, latencyP95Ms: 360_000, deadlineMs: 300_000, itemsPerSecond: 0.25 },
    ]);
  });

  it('marks the actions of operators, even with many deleted batches since', async () => {
    const action = (minute: number, name: string) =>
      recordAction(table, { ...ACTION, at: new Date(NOW + minute * 60_000).toISOString(), action: name }, `i${minute}`);
    const { table } = memoryTable();
    await action(0, 'put-policy');
    for (let minute = 1; minute <= 501; minute++) await action(minute, 'delete-batch');
    const deps = { table, now: () => NOW, basis: BASIS };
    const { jsonBody } = await getHistory(deps, requestFor('history'));
    expect(historySchema.parse(jsonBody).markers).toMatchObject([{ action: 'put-policy', target: 'q' }]);
  });

  it('can be limited to one workload', async () => {
    const rows = ['billing', 'other'].map((workload) => finishedAt('2026-03-31T10:00:00.000Z', 10, { workload }));
    const { history } = await historyOf(rows, '?workload=other');
    expect([history.scanned, history.days.map(({ workload }) => workload)]).toEqual([1, ['other']]);
  });
});
