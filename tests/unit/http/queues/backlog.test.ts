import { expect, test } from 'vitest';
import { z } from 'zod';
import type { WatchedBatch } from '../../../../shared/batches/watch/read-open-batches.ts';
import { backlogOf, backlogs } from '../../../../shared/http/queues/backlog.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { BATCH, batchRowOf } from '../../../helpers/data/factories.ts';

const billing = defineWorkload({
  ...{ name: 'billing', version: 1, item: z.unknown(), map: (item) => item },
  ...{ lanes: ['normal', 'bulk'], queuesPerLane: 3 },
});
const registry = createRegistry([billing]);
const open = (fields: Partial<WatchedBatch>): WatchedBatch => ({
  ...{ id: BATCH, workload: 'billing', revision: 0, openedAt: 0, lane: 'normal', items: 10, chunks: 9, row: undefined },
  ...fields,
});
const sums = (...batches: Partial<WatchedBatch>[]) => Object.fromEntries(backlogs(registry, batches.map(open)));

test('a batch is divided among the queues of its lane, and no item is lost', () => {
  expect(sums({}, {})).toEqual({
    'billing-normal-0': { batches: 2, items: 6 },
    'billing-normal-1': { batches: 2, items: 6 },
    'billing-normal-2': { batches: 2, items: 8 },
  });
});

test('one of fewer chunks than queues is in the first of them', () => {
  expect(sums({ chunks: 1 })).toEqual({ 'billing-normal-0': { batches: 1, items: 10 } });
});

test('its row says what is pending now', () => {
  const row = batchRowOf({ lane: 'bulk', accepted: 10, succeeded: 6, dead: 1 });
  expect(sums({ row, chunks: 1, lane: undefined })).toEqual({ 'billing-bulk-0': { batches: 1, items: 3 } });
});

test('what has ended, has nothing to do, or is of no known lane or workload waits nowhere', () => {
  const ended = batchRowOf({ state: 'completed', succeeded: 4 });
  expect(sums({ row: ended }, { items: 0 }, { lane: undefined }, { workload: 'gone' })).toEqual({});
});

test('results have no backlog, and other queues have one that may be empty', () => {
  const [results, items] = ['billing-results', 'billing-bulk-0'].map((name) => registry.queue(name));
  expect(results && backlogOf(results, new Map())).toBeNull();
  expect(items && backlogOf(items, new Map())).toEqual({ batches: 0, items: 0 });
});
