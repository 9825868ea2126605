import { expect, it } from 'vitest';
import type { Measurement } from '../../../../bench/measures/measurement.ts';
import type { Throughput } from '../../../../bench/measures/throughput.ts';
import { drawChart } from '../../../../bench/report/chart.ts';
import { commandOf } from '../../../../bench/report/describe-run.ts';
import { GUARANTEES, SOURCES } from '../../../../bench/report/guarantees.ts';
import type { Results } from '../../../../bench/report/results.ts';
import { formatResults } from '../../../../bench/report/table.ts';
import { type Target, targetsOf } from '../../../../bench/report/targets.ts';

const MB = 1_000_000;
const run = (items: number, seconds: number, operations: number, actions = 0): Measurement => ({
  ...{ items, seconds, actions, cpuSeconds: 1, peakBytes: 350 * MB, operations: { 'queue.get': operations } },
});

const throughput: Throughput = {
  threads: 2,
  limit: run(1_000_000, 2, 0),
  oneThread: run(1_000_000, 3, 0),
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

/** The measured ones. */
const measuredOf = (all: readonly Target[]): [string | undefined, boolean | undefined][] =>
  all.filter(({ measured }) => measured !== undefined).map(({ measured, met }) => [measured, met]);

/** One target, by the beginning of its text. */
const targetOf = (of: Results, what: string): Target | undefined =>
  targetsOf(of).find((target) => target.what.startsWith(what));

it('reports for each target whether it is met, by the ratios of one run', () => {
  expect(measuredOf(targetsOf(results))).toEqual([
    ['0.50', false],
    ['500 times', true],
    ['250 times', false],
    ['1.0', true],
    ['900', false],
    ['20', true],
    ['380 MB', false],
    ['5 %', true],
  ]);
});

it('lists a target whose measure did not run as not measured', () => {
  const { throughput: _none, memory: _neither, ...rest } = results;
  const all = targetsOf(rest);
  expect(measuredOf(all)).toEqual([]);
  expect(all.map(({ what }) => what)).toEqual(targetsOf(results).map(({ what }) => what));
  expect(formatResults(rest).filter((line) => line.includes('not measured'))).toHaveLength(all.length);
});

it('compares with a job queue only if it was measured', () => {
  const target = (peers: Throughput['peers']): Target | undefined =>
    targetOf({ ...results, throughput: { ...throughput, ...(peers ? { peers } : {}) } }, 'items/s against BullMQ');
  expect(target(undefined)?.met).toBeUndefined();
  expect(target({ pgBoss: run(1_000_000, 40, 0) })?.met).toBeUndefined();
  expect(target({ bullGrouped: run(1_000_000, 5, 0) })).toMatchObject({ measured: '1.25', met: true });
});

it('compares small batches, wakes and the start of the stack with their targets', () => {
  const small = { batches: 1_000, itemsEach: 100, seconds: 60, operations: {}, actionsPerBatch: 0.06 };
  const latencyMs = { p50: 100, p95: 800, max: 900 };
  const wait = { p50: 1, p99: 2 };
  const measured: Results = {
    ...results,
    small: {
      ...small,
      latencyMs,
      operationsPerBatch: 14.2,
      lone: { batches: 2, median: 20, operations: { 'blob.get': 5 } },
    },
    wake: {
      measured: [{ wakes: 50, delays: 'azure', latencyMs: { p50: 264, p99: 900 } }],
      ...{ secondPoller: wait, queueTriggerAtMost: wait },
    },
    start: { milliseconds: [2_900, 3_100], median: 2_900 },
  };
  expect(targetOf(measured, 'storage operations of a small batch')).toMatchObject({ measured: '14.2', met: false });
  expect(targetOf(measured, 'storage operations of a lone')).toMatchObject({ measured: '20', met: true });
  expect(formatResults(measured)).toContain('Storage operations per lone batch: blob.get 2.50');
  expect(targetOf(measured, 'wake, warm, durable work polled, p50')).toMatchObject({ measured: '264 ms', met: false });
  expect(targetOf(measured, 'wake, warm, durable work polled, p99')).toMatchObject({ measured: '900 ms', met: true });
  expect(targetOf(measured, 'wake, warm, durable work pushed, p50')?.met).toBeUndefined();
  expect(targetOf(measured, 'start of the local stack')).toMatchObject({ measured: '2.9 s', met: true });
});

it('prints a line per contender, and which of them were faster', () => {
  const text = formatResults(results).join('\n');
  expect(text).toMatch(/\| queue trigger +\| +1,000 \| +3,100,000 \| +0 \| +500\.0 \| +\| +350 \| +250\.00 \|/);
  expect(text).toContain(
    'Faster than Sluice in this run: script, one thread (1.33 times), limit: script, threads (2.00 times).',
  );
  expect(text).toContain('| items/s against the limit ');
});

it('prints what each contender guarantees, and which job queues are missing', () => {
  const peers = { bullGrouped: { ...run(1_000_000, 5, 0), storageCpuSeconds: 2 } };
  const missing = ['PostgreSQL: how to get it'];
  const text = formatResults({ ...results, throughput: { ...throughput, peers, missing } }).join('\n');
  expect(text).toMatch(/\| BullMQ, 5,000 per job +\| +200,000 \| +\| +0 \| +1\.0 \| +2\.0 \| +350 \| +1\.25 \|/);
  expect(text).toContain('Not measured; missing: PostgreSQL: how to get it.');
  expect(text).toMatch(/\| BullMQ, 5,000 per job +\| +own code \| +failed set, 5,000 at a time \[2\] \|/);
  expect(formatResults(results).join('\n')).not.toContain('each item counted once');
});

it('has a source for each number in a guarantee', () => {
  const texts = Object.values(GUARANTEES).flatMap((row) => Object.values(row) as string[]);
  const numbers = new Set(
    texts.flatMap((text) => [...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number))),
  );
  expect([...numbers].sort((a, b) => a - b)).toEqual(SOURCES.map((_, index) => index + 1));
});

it('compares a handler that waits with the limit of its items in flight', () => {
  const inFlight = { concurrency: 64, threads: 2, waitMs: 50, ideal: 2_560 };
  const runs = { pMap: run(25_600, 10.2, 0), processor: run(25_600, 10.5, 0), pipeline: run(25_600, 12, 900) };
  const http = {
    ...{ client: 'fetch' as const, latencyMs: 20, ideal: 6_400 },
    ...{ plain: { items: 64_000, seconds: 12.5 }, sluice: { items: 64_000, seconds: 16 } },
  };
  const { throughput: _none, memory: _neither, ...rest } = results;
  const waiting: Results = { ...rest, waiting: [{ ...inFlight, ...runs }], http: [http] };
  expect(measuredOf(targetsOf(waiting))).toEqual([
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

it('checks the operations that a loose limit adds, and the utilization of a binding one', () => {
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
  expect(measuredOf(targetsOf(limits))).toEqual([
    ['21', false],
    ['0.95', true],
  ]);
  expect(formatResults(limits).join('\n')).toMatch(
    /\| a limit that is binding +\| +50,000 \| +47,619 \| +0\.952 \| +960 \|/,
  );
});

it('shows the command of a run without the password of a server', () => {
  expect(commandOf([])).toBe('npm run bench');
  expect(commandOf(['--peers', '--postgres', 'postgres://me:secret@host:5432/db'])).toBe(
    'npm run bench -- --peers --postgres postgres://host:5432/db',
  );
});

it('draws a chart with date, machine and every contender', () => {
  const svg = drawChart(results, throughput);
  expect(svg).toContain('2026-11-21, 2 cores');
  expect(svg.match(/<rect /g)).toHaveLength(10);
  const peers = { bullGrouped: run(1_000_000, 5, 0), pgBoss: run(1_000_000, 50, 0) };
  const wider = drawChart(results, { ...throughput, peers });
  expect(wider.match(/<rect /g)).toHaveLength(12);
  expect(wider).toContain('>BullMQ, 5,000 per job</text>');
});
