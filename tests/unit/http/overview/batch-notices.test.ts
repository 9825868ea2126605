import { describe, expect, test } from 'vitest';
import type { BatchRow } from '../../../../shared/batches/batch-row.ts';
import type { WatchedBatch } from '../../../../shared/batches/watch/read-open-batches.ts';
import { endedNotices, latestOf, openNotices } from '../../../../shared/http/overview/batch-notices.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';

const NOW = Date.parse('2026-01-02T00:00:00.000Z');
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const idOf = (n: number): string => `01985a00-0000-7000-8000-${String(n + 500).padStart(12, '0')}`;

const open = (n: number, fields: Partial<WatchedBatch> = {}): WatchedBatch => ({
  ...{ id: idOf(n), workload: 'billing', revision: 0, openedAt: 0, lane: 'normal', items: 7, chunks: 1 },
  ...{ deadlineAt: at(n), row: undefined, ...fields },
});
const read = (n: number, fields: Partial<BatchRow> = {}): WatchedBatch =>
  open(n, { row: batchRowOf({ id: idOf(n), deadlineAt: at(n), ...fields }) });
const idsOf = ({ batches }: { batches: { id: string }[] }): string[] => batches.map(({ id }) => id);

describe('open batches', () => {
  test('are late after their deadline; those that were not read, by their open row', () => {
    const { late } = openNotices([open(-1), open(1), read(-2)], NOW);
    expect(idsOf(late)).toEqual([idOf(-2), idOf(-1)]);
    expect(late.batches.map(({ since, items }) => [since, items])).toEqual([
      [at(-2), 4],
      [at(-1), 7],
    ]);
  });

  test('are not late after they end, during a cancellation, or without items to run', () => {
    const batches = [read(-1, { state: 'completed' }), read(-2, { state: 'cancelling' }), open(-3, { items: 0 })];
    expect(openNotices(batches, NOW).late).toEqual({ count: 0, batches: [] });
  });

  test('are at risk until they are late or no longer awaited', () => {
    const atRiskAt = at(-5);
    const { atRisk, late } = openNotices([read(1, { atRiskAt }), read(-1, { atRiskAt }), read(2)], NOW);
    expect([idsOf(atRisk), idsOf(late)]).toEqual([[idOf(1)], [idOf(-1)]]);
    expect(openNotices([read(1, { atRiskAt, state: 'cancelling' })], NOW).atRisk.count).toBe(0);
  });

  test('are all counted, and the twenty oldest shown', () => {
    const { late } = openNotices(
      Array.from({ length: 30 }, (_, n) => open(-1 - n)),
      NOW,
    );
    expect([late.count, idsOf(late).length, idsOf(late)[0]]).toEqual([30, 20, idOf(-30)]);
  });
});

test('uses the row of a badly ended batch while it is open, and its line afterwards', async () => {
  const line = (n: number, state: BatchRow['state']) => ({ ...batchRowOf({ id: idOf(n), state }), spent: {} as never });
  const batches = latestOf(
    [read(1, { state: 'suspect' }), read(2, { state: 'running' })],
    [line(1, 'suspect'), line(2, 'suspect'), line(3, 'suspect'), line(4, 'completedWithDeadLetters')],
  );
  const notices = await endedNotices(batches, 'suspect', async ({ id }) =>
    id === idOf(3) ? 'InvalidItem: id' : undefined,
  );
  expect(notices.count).toBe(2);
  expect(notices.batches.map(({ id, reason }) => [id, reason])).toEqual([
    [idOf(1), undefined],
    [idOf(3), 'InvalidItem: id'],
  ]);
});
