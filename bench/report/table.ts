import { formatCount } from '../../cli/text/format.ts';
import type { HttpResult } from '../measures/http.ts';
import { type LimitsResult, rateOnceAccepted } from '../measures/limits.ts';
import { type Measurement, rateOf, shareOf } from '../measures/measurement.ts';
import type { SmallResult } from '../measures/small.ts';
import type { WaitingResult } from '../measures/waiting.ts';
import { markdown } from './markdown.ts';
import { operationsAMillion, type Results } from './results.ts';
import { targetsOf } from './targets.ts';
import { throughputLines } from './throughput-table.ts';

const MILLION = 1_000_000;
const MB = 1_000_000;

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
