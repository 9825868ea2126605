/** What a run of the bench leaves: the file that README, chart and docs/performance.md speak of. */
import { totalOperations } from '../../shared/contract/operations.ts';
import type { HttpResult } from '../measures/http.ts';
import { type LimitsResult, rateOnceAccepted } from '../measures/limits.ts';
import { type Measurement, rateOf, shareOf } from '../measures/measurement.ts';
import type { MemoryResult } from '../measures/memory.ts';
import type { SmallResult } from '../measures/small.ts';
import type { Throughput } from '../measures/throughput.ts';
import type { WaitingResult } from '../measures/waiting.ts';
import type { Wait, WakeResult } from '../measures/wake.ts';

/** Everything that one run measured; what it was not asked for is absent. */
export interface Results {
  date: string;
  commit: string;
  command: string;
  machine: { cores: number; cpu: string; memoryBytes: number; node: string; loadBefore: number };
  throughput?: Throughput;
  small?: SmallResult;
  wake?: { measured: WakeResult[]; secondPoller: Wait; queueTriggerAtMost: Wait };
  memory?: MemoryResult;
  waiting?: WaitingResult[];
  http?: HttpResult[];
  limits?: LimitsResult;
}

/** A line of the table of targets. */
export interface Target {
  what: string;
  target: string;
  measured: string;
  met: boolean;
}

const MILLION = 1_000_000;
const MB = 1_000_000;

/** All storage requests for a million items. */
export const operationsAMillion = ({ operations, items }: Measurement): number =>
  (totalOperations(operations) / items) * MILLION;

/** The targets that the results speak of. */
export function targetsOf({ throughput, small, wake, memory, waiting, http, limits }: Results): Target[] {
  return [
    ...(throughput ? throughputTargets(throughput) : []),
    ...(small ? smallTargets(small) : []),
    ...(memory ? memoryTargets(memory) : []),
    ...(wake?.measured.flatMap(wakeTargets) ?? []),
    ...(waiting?.flatMap(waitingTargets) ?? []),
    ...(http?.map(httpTarget) ?? []),
    ...(limits ? limitTargets(limits) : []),
  ];
}

const least = (what: string, wanted: number, value: number, digits = 0): Target => ({
  ...{ what, target: `at least ${wanted}`, measured: value.toFixed(digits), met: value >= wanted },
});
const most = (what: string, wanted: number, value: number, { unit = '', digits = 0 } = {}): Target => ({
  ...{ what, target: `at most ${wanted}${unit}`, measured: `${value.toFixed(digits)}${unit}`, met: value <= wanted },
});

function throughputTargets({ sluice, limit, listener, queueTrigger }: Throughput): Target[] {
  const times = (other: Measurement): number => rateOf(sluice) / rateOf(other);
  return [
    least('items/s against the listener of the white paper, times', 300, times(listener)),
    least('items/s against the queue trigger, times', 300, times(queueTrigger)),
    least('items/s against the limit', 0.7, times(limit), 2),
    most('storage operations per million items', 1_000, operationsAMillion(sluice)),
    most('orchestration actions per million items', 60, (sluice.actions / sluice.items) * MILLION),
  ];
}

const smallTargets = ({ operationsABatch, actionsABatch, latencyMs }: SmallResult): Target[] => [
  most('storage operations a small batch', 20, operationsABatch, { digits: 1 }),
  most('orchestration actions a small batch', 10, actionsABatch, { digits: 2 }),
  most('small batches, p95 accept to report', 5_000, latencyMs.p95, { unit: ' ms' }),
];

const memoryTargets = ({ peakBytes, larger }: MemoryResult): Target[] => [
  most('peak memory of the app, large upload', 400, peakBytes / MB, { unit: ' MB' }),
  ...(larger
    ? [most('growth of it with five times the items', 15, (larger.peakBytes / peakBytes - 1) * 100, { unit: ' %' })]
    : []),
];

const wakeTargets = ({ delays, latencyMs: { p50, p99 } }: WakeResult): Target[] => [
  most(`wake, warm, p50 (${delays})`, 150, p50, { unit: ' ms' }),
  most(`wake, warm, p99 (${delays})`, 1_000, p99, { unit: ' ms' }),
];

const waitingTargets = (result: WaitingResult): Target[] =>
  (['processor', 'pipeline'] as const).map((name) =>
    least(
      `waiting, ${result.concurrency} per thread: ${name} against the ideal`,
      0.9,
      shareOf(result, result[name]),
      2,
    ),
  );

const httpTarget = (result: HttpResult): Target =>
  least(
    `${result.client} of ${result.latencyMs} ms, by npm start, against the ideal`,
    0.9,
    shareOf(result, result.sluice),
    2,
  );

/** A limit that binds is to be used; one that does not is to cost next to nothing. */
const limitTargets = ({ unlimited, limited }: LimitsResult): Target[] =>
  limited.map(({ kind, limit, run }) =>
    kind === 'binding'
      ? least('rate against a limit that binds', 0.9, rateOnceAccepted(run) / limit, 2)
      : most(
          'storage operations per million items that a limit adds',
          20,
          operationsAMillion(run) - operationsAMillion(unlimited),
        ),
  );
