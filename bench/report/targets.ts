/** The table of targets: the target for each figure, and whether a run met it. */
import { CONCURRENCIES } from '../app/waiting.ts';
import { CASES } from '../measures/http.ts';
import { rateOnceAccepted } from '../measures/limits.ts';
import { type Measurement, rateOf, shareOf } from '../measures/measurement.ts';
import type { DurableDelays } from '../stack/stack.ts';
import { operationsAMillion, type Results } from './results.ts';

/** A line of the table. */
export interface Target {
  what: string;
  target: string;
  /** Undefined if the run did not measure it. */
  measured: string | undefined;
  /** Undefined if the run did not measure it. */
  met: boolean | undefined;
}

const MILLION = 1_000_000;
const MB = 1_000_000;
const SECOND_MS = 1_000;

interface Shown {
  unit?: string;
  digits?: number;
}

const shown = (value: number, { unit = '', digits = 0 }: Shown): string => `${value.toFixed(digits)}${unit}`;

function least(what: string, wanted: number, value: number | undefined, how: Shown = {}): Target {
  const target = `at least ${wanted}${how.unit ?? ''}`;
  if (value === undefined) return { what, target, measured: undefined, met: undefined };
  return { what, target, measured: shown(value, how), met: value >= wanted };
}

function most(what: string, wanted: number, value: number | undefined, how: Shown = {}): Target {
  const target = `at most ${wanted}${how.unit ?? ''}`;
  if (value === undefined) return { what, target, measured: undefined, met: undefined };
  return { what, target, measured: shown(value, how), met: value <= wanted };
}

/** Returns all targets, in the order of docs/performance.md. */
export const targetsOf = (results: Results): Target[] => [
  ...throughputTargets(results),
  ...memoryTargets(results),
  ...smallTargets(results),
  ...wakeTargets(results, 'azure'),
  ...wakeTargets(results, 'push'),
  most('start of the local stack', 3, results.start && results.start.median / SECOND_MS, { unit: ' s', digits: 1 }),
  ...waitingTargets(results),
  ...httpTargets(results),
  ...limitTargets(results),
];

function throughputTargets({ throughput }: Results): Target[] {
  const sluice = throughput?.sluice;
  const times = (other: Measurement | undefined): number | undefined =>
    sluice && other && rateOf(sluice) / rateOf(other);
  const ratio = { digits: 2 };
  return [
    least('items/s against the limit', 0.65, times(throughput?.limit), ratio),
    least('items/s against BullMQ, 5,000 per job', 1, times(throughput?.peers?.bullGrouped), ratio),
    least("items/s against the white paper's listener", 300, times(throughput?.listener), { unit: ' times' }),
    least('items/s against the queue trigger', 300, times(throughput?.queueTrigger), { unit: ' times' }),
    most(
      "CPU seconds of the app's process per million items",
      11,
      sluice && (sluice.cpuSeconds / sluice.items) * MILLION,
      { digits: 1 },
    ),
    most('storage operations per million items', 700, sluice && operationsAMillion(sluice)),
    most('orchestration actions per million items', 60, sluice && (sluice.actions / sluice.items) * MILLION),
  ];
}

function memoryTargets({ memory }: Results): Target[] {
  const growth = memory?.larger && (memory.larger.peakBytes / memory.peakBytes - 1) * 100;
  return [
    most('peak memory of the app', 350, memory && memory.peakBytes / MB, { unit: ' MB' }),
    most('growth of the peak memory with five times the items', 10, growth, { unit: ' %' }),
  ];
}

const smallTargets = ({ small }: Results): Target[] => [
  most('storage operations of a small batch in a trickle', 14, small?.operationsPerBatch, { digits: 1 }),
  most('storage operations of a lone small batch', 20, small?.lone.median),
  most('orchestration actions of a small batch in a trickle', 10, small?.actionsPerBatch, { digits: 2 }),
  most('small batches, p95 from acceptance to report', 5_000, small?.latencyMs.p95, { unit: ' ms' }),
];

function wakeTargets({ wake }: Results, delays: DurableDelays): Target[] {
  const latency = wake?.measured.find((one) => one.delays === delays)?.latencyMs;
  const how = delays === 'azure' ? 'polled' : 'pushed';
  return [
    most(`wake, warm, durable work ${how}, p50`, 150, latency?.p50, { unit: ' ms' }),
    most(`wake, warm, durable work ${how}, p99`, 1_000, latency?.p99, { unit: ' ms' }),
  ];
}

const waitingTargets = ({ waiting }: Results): Target[] =>
  CONCURRENCIES.flatMap((concurrency) => {
    const result = waiting?.find((one) => one.concurrency === concurrency);
    return (['processor', 'pipeline'] as const).map((name) =>
      least(
        `waiting, ${concurrency} per thread: ${name} against the ideal`,
        0.9,
        result && shareOf(result, result[name]),
        { digits: 2 },
      ),
    );
  });

const httpTargets = ({ http }: Results): Target[] =>
  CASES.map(([client, latencyMs]) => {
    const result = http?.find((one) => one.client === client && one.latencyMs === latencyMs);
    const what = `${client} of ${latencyMs} ms, by npm start, against the ideal`;
    return least(what, 0.9, result && shareOf(result, result.sluice), { digits: 2 });
  });

/** A limit below the machine's rate must be used fully; one above it must cost almost nothing. */
function limitTargets({ limits }: Results): Target[] {
  const run = (kind: string) => limits?.limited.find((one) => one.kind === kind);
  const [loose, binding] = [run('loose'), run('binding')];
  return [
    most(
      'storage operations per million items that a limit adds',
      20,
      limits && loose && operationsAMillion(loose.run) - operationsAMillion(limits.unlimited),
    ),
    least('rate against a limit that binds', 0.9, binding && rateOnceAccepted(binding.run) / binding.limit, {
      digits: 2,
    }),
  ];
}
