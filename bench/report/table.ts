import { formatCount } from '../../cli/text/format.ts';
import type { HttpResult } from '../measures/http.ts';
import { type LimitsResult, rateOnceAccepted } from '../measures/limits.ts';
import { type Measurement, rateOf, shareOf } from '../measures/measurement.ts';
import { PEERS } from '../measures/peers.ts';
import type { SmallResult } from '../measures/small.ts';
import type { Throughput } from '../measures/throughput.ts';
import type { WaitingResult } from '../measures/waiting.ts';
import { GUARANTEE_HEADS, GUARANTEES, type Guarantees, SOURCES } from './guarantees.ts';
import { type ContenderName, contendersOf, NAMES } from './names.ts';
import { operationsAMillion, type Results } from './results.ts';
import { targetsOf } from './targets.ts';

const MILLION = 1_000_000;
const MB = 1_000_000;

/** A Markdown table; the first row is its head. */
export function markdown(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...rest] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rest.map(line)];
}

function contenderRows(throughput: Throughput): string[] {
  const { sluice, threads } = throughput;
  const row = ([name, one]: [ContenderName, Measurement]): string[] => [
    name === 'limit' ? `${NAMES.limit} (${threads})` : NAMES[name],
    rateOf(one) < 100 ? rateOf(one).toFixed(1) : formatCount(rateOf(one)),
    // Redis and PostgreSQL are not billed per operation.
    isPeer(name) ? '' : formatCount(operationsAMillion(one)),
    formatCount((one.actions / one.items) * MILLION),
    ((one.cpuSeconds / one.items) * MILLION).toFixed(1),
    one.storageCpuSeconds === undefined ? '' : ((one.storageCpuSeconds / one.items) * MILLION).toFixed(1),
    formatCount(one.peakBytes / MB),
    (rateOf(sluice) / rateOf(one)).toFixed(2),
  ];
  const head = [
    'contender',
    'items/s',
    'storage ops/M',
    'actions/M',
    'CPU s/M',
    "server's",
    'peak MB',
    'Sluice is times',
  ];
  return markdown([head, ...contendersOf(throughput).map(row)]);
}

const isPeer = (name: ContenderName): boolean => name in PEERS;

/** Returns which contenders were faster than Sluice, and by what factor. */
function fasterThanSluice(throughput: Throughput): string {
  const own = rateOf(throughput.sluice);
  const faster = contendersOf(throughput).filter(([, one]) => rateOf(one) > own);
  const times = ([name, one]: [ContenderName, Measurement]): string =>
    `${NAMES[name]} (${(rateOf(one) / own).toFixed(2)} times)`;
  return `Faster than Sluice in this run: ${faster.length === 0 ? 'none' : faster.map(times).join(', ')}.`;
}

function guaranteeRows(throughput: Throughput): string[] {
  const columns = Object.keys(GUARANTEE_HEADS) as (keyof Guarantees)[];
  const head = ['contender', ...columns.map((column) => GUARANTEE_HEADS[column])];
  const rows = contendersOf(throughput).map(([name]) => [
    NAMES[name],
    ...columns.map((column) => GUARANTEES[name][column]),
  ]);
  const sources = SOURCES.map((source, index) => `[${index + 1}] ${source}`);
  return [...markdown([head, ...rows]), '', '"own code": the user must write it.', ...sources];
}

function throughputLines(throughput: Throughput): string[] {
  const { peers, missing = [] } = throughput;
  return [
    '',
    ...contenderRows(throughput),
    '',
    fasterThanSluice(throughput),
    ...missing.map((what) => `Not measured; missing: ${what}.`),
    ...(peers ? ['', ...guaranteeRows(throughput)] : []),
  ];
}

function waitingRows(waiting: readonly WaitingResult[]): string[] {
  const head = [
    `handler waits ${waiting[0]?.waitMs} ms`,
    'in flight per thread',
    'items',
    'items/s',
    'of the ideal',
    'CPU s/M',
    'peak MB',
  ];
  const row = (result: WaitingResult, name: string, one: Measurement): string[] => [
    ...[name, String(result.concurrency), formatCount(one.items), formatCount(rateOf(one))],
    shareOf(result, one).toFixed(3),
    ...[((one.cpuSeconds / one.items) * MILLION).toFixed(1), formatCount(one.peakBytes / MB)],
  ];
  const rows = waiting.flatMap((each) => [
    row(each, `p-map, one thread, ${each.concurrency * each.threads} in flight`, each.pMap),
    row(each, `Sluice's processor, ${each.threads} threads`, each.processor),
    row(each, 'Sluice, from the upload to the report', each.pipeline),
  ]);
  return markdown([head, ...rows]);
}

function httpRows(http: readonly HttpResult[]): string[] {
  const head = ['client', 'latency', 'ideal items/s', 'plain script', 'of the ideal', 'npm start', 'of the ideal'];
  const row = (one: HttpResult): string[] => [
    ...[one.client, `${one.latencyMs} ms`, formatCount(one.ideal)],
    ...[one.plain, one.sluice].flatMap((run) => [formatCount(rateOf(run)), shareOf(one, run).toFixed(3)]),
  ];
  return markdown([head, ...http.map(row)]);
}

function limitRows({ unlimited, limited }: LimitsResult): string[] {
  const row = (name: string, one: Measurement, limit?: number): string[] => [
    ...[name, limit === undefined ? '' : formatCount(limit), formatCount(rateOnceAccepted(one))],
    limit === undefined ? '' : (rateOnceAccepted(one) / limit).toFixed(3),
    formatCount(operationsAMillion(one)),
  ];
  const head = ['billing', 'items/s allowed', 'items/s', 'of the limit', 'storage ops/M'];
  const rows = limited.map(({ kind, limit, run }) => row(`a limit that is ${kind}`, run, limit));
  return markdown([head, row('no limit', unlimited), ...rows]);
}

/** Returns the text that is printed at the end of a run. */
export function formatResults(results: Results): string[] {
  const { throughput, small, wake, waiting, http, limits, machine, date, command } = results;
  const memory = (machine.memoryBytes / 2 ** 30).toFixed(0);
  const targets = targetsOf(results).map(({ what, target, measured, met }) => [
    ...[what, target, measured ?? '', met === undefined ? 'not measured' : met ? 'met' : 'missed'],
  ]);
  return [
    `${date}, ${machine.cores} cores (${machine.cpu}), ${memory} GiB, Node ${machine.node}, load before ${machine.loadBefore}: ${command}`,
    ...(throughput ? throughputLines(throughput) : []),
    ...(small
      ? [
          '',
          `${small.batches} batches of ${small.itemsEach}: p50 ${formatCount(small.latencyMs.p50)} ms, max ${formatCount(small.latencyMs.max)} ms`,
          `Storage operations per batch: ${eachOf(small)}`,
          `Storage operations per lone batch: ${eachOf(small.lone)}`,
        ]
      : []),
    ...(wake
      ? [
          '',
          `A one-second poller waits p50 ${wake.secondPoller.p50} ms, p99 ${wake.secondPoller.p99} ms; the queue trigger, its back-off at the maximum, p50 ${wake.queueTriggerAtMost.p50} ms, p99 ${wake.queueTriggerAtMost.p99} ms`,
        ]
      : []),
    ...(waiting ? ['', ...waitingRows(waiting)] : []),
    ...(http ? ['', ...httpRows(http)] : []),
    ...(limits ? ['', ...limitRows(limits)] : []),
    '',
    ...markdown([['target', 'wanted', 'measured', ''], ...targets]),
  ];
}

const eachOf = ({ operations, batches }: Pick<SmallResult, 'operations' | 'batches'>): string =>
  Object.entries(operations)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kind} ${(count / batches).toFixed(2)}`)
    .join(', ');
