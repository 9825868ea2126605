import { expect, test } from 'vitest';
import { z } from 'zod';
import type { WatchedBatch } from '../../../../shared/batches/watch/read-open-batches.ts';
import { backlogOf, backlogs } from '../../../../shared/http/queues/backlog.ts';
import { queueOf, queueOffsetOf } from '../../../../shared/queues/queue-of.ts';
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
  deadlineAt: '2026-01-02T00:00:00.000Z',
  ...fields,
});
const sums = (...batches: Partial<WatchedBatch>[]) => Object.fromEntries(backlogs(registry, batches.map(open)));

test('a batch is divided over the queues of its lane without losing an item', () => {
  expect(sums({}, {})).toEqual({
    'billing-normal-0': { batches: 2, items: 6 },
    'billing-normal-1': { batches: 2, items: 6 },
    'billing-normal-2': { batches: 2, items: 8 },
  });
});

test('a batch with fewer chunks than queues counts in the queues of its chunks', () => {
  const row = batchRowOf({ accepted: 10, queueOffset: 2 });
  expect(sums({ row, chunks: 2 })).toEqual({
    'billing-normal-2': { batches: 1, items: 5 },
    'billing-normal-0': { batches: 1, items: 5 },
  });
});

test('a batch whose row was not read counts in the queues that its id determines', () => {
  const queue = queueOf(billing, { lane: 'normal', queueOffset: queueOffsetOf(BATCH) }, '000000');
  expect(sums({ chunks: 1 })).toEqual({ [queue]: { batches: 1, items: 10 } });
});

test('uses the pending items in the row of a batch', () => {
  const row = batchRowOf({ lane: 'bulk', accepted: 10, succeeded: 6, dead: 1 });
  expect(sums({ row, chunks: 1 })).toEqual({ 'billing-bulk-0': { batches: 1, items: 3 } });
});

test('excludes batches that have ended, have nothing to run, or belong to an unknown workload', () => {
  const ended = batchRowOf({ state: 'completed', succeeded: 4 });
  expect(sums({ row: ended }, { items: 0 }, { workload: 'gone' })).toEqual({});
});

test('result queues have no backlog, and other queues may have an empty one', () => {
  const [results, items] = ['billing-results', 'billing-bulk-0'].map((name) => registry.queue(name));
  expect(results && backlogOf(results, new Map())).toBeNull();
  expect(items && backlogOf(items, new Map())).toEqual({ batches: 0, items: 0 });
});
