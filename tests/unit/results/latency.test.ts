import { expect, test } from 'vitest';
import { latencies } from '../../../shared/results/latency.ts';
import { chunkRowOf, headerOf } from '../../helpers/data/factories.ts';

const batch = { openedAt: '2026-01-01T00:00:00.000Z', revision: 0 };
const done = (second: number, counts: Parameters<typeof headerOf>[0]) =>
  chunkRowOf({
    chunk: String(second).padStart(6, '0'),
    state: 'done',
    doneAt: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
    header: headerOf(counts),
  });

test('items count, not chunks: most items waited for a large late chunk', () => {
  const rows = [done(1, { items: 10 }), done(20, { items: 90 })];

  expect(latencies(batch, rows)).toEqual({ latencyP50: 20_000, latencyP95: 20_000, latencyMax: 20_000 });
});

test('an item that was retried counts when it ended', () => {
  const rows = [done(1, { items: 100, retried: 10 }), done(30, { items: 10 })];

  expect(latencies(batch, rows)).toEqual({ latencyP50: 1_000, latencyP95: 30_000, latencyMax: 30_000 });
});

test('items of a redrive count from its opening, and those of earlier revisions not again', () => {
  const redriven = { ...done(50, { items: 3 }), chunk: 'v0001.000000.r1' };
  const rows = [done(1, { items: 97 }), redriven];

  expect(latencies({ openedAt: '2026-01-01T00:00:40.000Z', revision: 1 }, rows)).toEqual({
    latencyP50: 10_000,
    latencyP95: 10_000,
    latencyMax: 10_000,
  });
});

test('there is none without an ended item', () => {
  expect(latencies(batch, [chunkRowOf({ chunk: '000000' })])).toEqual({});
});
