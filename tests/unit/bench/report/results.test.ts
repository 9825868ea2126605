import { expect, it } from 'vitest';
import type { Measurement } from '../../../../bench/measures/measurement.ts';
import type { Throughput } from '../../../../bench/measures/throughput.ts';
import { drawChart } from '../../../../bench/report/chart.ts';
import { type Results, targetsOf } from '../../../../bench/report/results.ts';
import { formatResults } from '../../../../bench/report/table.ts';

const MB = 1_000_000;
const run = (items: number, seconds: number, operations: number, actions = 0): Measurement => ({
  ...{ items, seconds, actions, cpuSeconds: 1, peakBytes: 350 * MB, operations: { 'queue.get': operations } },
});

const throughput: Throughput = {
  limit: run(1_000_000, 2, 0),
  limitWhole: run(1_000_000, 2.5, 0),
  sluice: run(1_000_000, 4, 900, 20),
  listener: run(2_000, 4, 6_400),
  queueTrigger: run(2_000, 2, 6_200),
  poller: run(5, 5, 15),
  rounds: [],
};

const results: Results = {
  date: '2026-11-21T12:00:00.000Z',
  commit: 'abc1234',
  command: 'npm run bench',
  machine: { cores: 2, cpu: 'a cpu', memoryBytes: 24 * 2 ** 30, node: 'v24.21.0', loadBefore: 0.1 },
  throughput,
  memory: { items: 1_000_000, peakBytes: 380 * MB, larger: { items: 5_000_000, peakBytes: 399 * MB } },
};

it('tells of each target whether it is met, by the ratios of one run', () => {
  expect(targetsOf(results).map(({ measured, met }) => [measured, met])).toEqual([
    ['500', true],
    ['250', false],
    ['0.50', false],
    ['900', true],
    ['20', true],
    ['380 MB', true],
    ['5 %', true],
  ]);
});

it('prints a line a contender', () => {
  const text = formatResults(results).join('\n');
  expect(text).toMatch(/\| queue trigger +\| +1,000 \| +3,100,000 \| +0 \| +500\.0 \| +350 \| +250\.00 \|/);
  expect(text).toContain('| items/s against the limit ');
});

it('holds a handler that waits against what its items in flight allow', () => {
  const inFlight = { concurrency: 64, threads: 2, waitMs: 50, ideal: 2_560 };
  const runs = { pMap: run(25_600, 10.2, 0), processor: run(25_600, 10.5, 0), pipeline: run(25_600, 12, 900) };
  const http = {
    ...{ client: 'fetch' as const, latencyMs: 20, ideal: 6_400 },
    ...{ plain: { items: 64_000, seconds: 12.5 }, sluice: { items: 64_000, seconds: 16 } },
  };
  const { throughput: _none, memory: _neither, ...rest } = results;
  const waiting: Results = { ...rest, waiting: [{ ...inFlight, ...runs }], http: [http] };
  expect(targetsOf(waiting).map(({ measured, met }) => [measured, met])).toEqual([
    ['0.95', true],
    ['0.83', false],
    ['0.63', false],
  ]);
  const text = formatResults(waiting).join('\n');
  expect(text).toMatch(/\| p-map, one thread, 128 in flight +\| +64 \| +25,600 \| +2,510 \| +0\.980 \|/);
  expect(text).toMatch(/\| fetch +\| +20 ms \| +6,400 \| +5,120 \| +0\.800 \| +4,000 \| +0\.625 \|/);
  const shorter = { ...waiting, waiting: [{ ...inFlight, ...runs, waitMs: 20 }] };
  expect(formatResults(shorter).join('\n')).toContain('| handler waits 20 ms ');
});

it('holds a limit against what it adds where it does not bind, and against what is used of it where it does', () => {
  const { throughput: _none, memory: _neither, ...rest } = results;
  const accepted = { acceptedSeconds: 2 };
  const limits: Results = {
    ...rest,
    limits: {
      unlimited: { ...run(1_000_000, 12, 930), ...accepted },
      limited: [
        { kind: 'loose', limit: 150_000, run: { ...run(1_000_000, 12, 951), ...accepted } },
        { kind: 'binding', limit: 50_000, run: { ...run(1_000_000, 23, 960), ...accepted } },
      ],
    },
  };
  expect(targetsOf(limits).map(({ measured, met }) => [measured, met])).toEqual([
    ['21', false],
    ['0.95', true],
  ]);
  expect(formatResults(limits).join('\n')).toMatch(
    /\| a limit that is binding +\| +50,000 \| +47,619 \| +0\.952 \| +960 \|/,
  );
});

it('draws a chart that names date, machine and every contender', () => {
  const svg = drawChart(results, throughput);
  expect(svg).toContain('2026-11-21, 2 cores');
  expect(svg.match(/<rect /g)).toHaveLength(9);
});
