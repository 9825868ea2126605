/**
 * The file that a run of `--scale` saves (bench/results/scale.json), and the constants of the model that follow from
 * it.
 */
import type { Results } from '../report/results.ts';
import { CHUNK_ITEMS, CONCURRENCY } from './app/waiting.ts';
import { type InstancesRun, LATENCY_MS } from './instances.ts';
import type { Constants, Deployment, Work } from './model.ts';
import type { SerialResult } from './serial.ts';

/** All measured values. */
export interface ScaleResults extends Pick<Results, 'date' | 'commit' | 'command' | 'machine'> {
  runs: InstancesRun[];
  serial: SerialResult;
}

const WAIT = 0.05;
/**
 * Measured on 2026-11-21 with `npm run bench -- --wake`: p50 when durable work is polled, as on the Azure Storage
 * backend.
 */
const WAKE = 0.264;

/**
 * Returns the constants of the model. All are CPU time, because an instance of the tables has one core, and wall time
 * depends on other work.
 */
export const constantsOf = ({ serial }: ScaleResults): Constants => ({
  acceptPerItem: serial.acceptance.cpuSeconds / serial.items,
  collectPerChunk: serial.collecting.cpuSeconds / serial.chunks,
  start: WAKE,
});

/**
 * Measured on 2026-11-21 (docs/performance.md): 60 MB are read from and written to storage per million items of
 * billing.
 */
const BYTES_PER_ITEM = 60;

/** The app's own billing, which only computes. */
export const billingWork = ({ serial }: ScaleResults, itemsPerChunk: number): Work => ({
  ...{ name: 'billing (computes)', itemsPerChunk, wait: 0, concurrency: 1 },
  cpuPerItem: serial.drain.cpuSeconds / serial.items,
  mergePerItem: serial.report.cpuSeconds / serial.items,
  bytesPerItem: BYTES_PER_ITEM,
});

/** A handler that waits 50 ms. Its CPU time is that of the longest run, including acceptance. */
export function waitingWork({ runs }: ScaleResults, itemsPerChunk = CHUNK_ITEMS): Work {
  const largest = runs.reduce((best, run) => (run.items > best.items ? run : best));
  const name = `waits 50 ms, ${CONCURRENCY} at a time`;
  const cpuPerItem = largest.cpuSeconds / largest.items;
  const none = { mergePerItem: 0, bytesPerItem: BYTES_PER_ITEM };
  return { name, itemsPerChunk, wait: WAIT, concurrency: CONCURRENCY, cpuPerItem, ...none };
}

/** Activities in host.json; an instance with 2,048 MB has one core. */
const COMMON = { activities: 5, cores: 1, latency: LATENCY_MS / 1_000 };
/** Tasks of the last threshold of the default policy. */
const DEFAULT_TASKS = 100;
const MAX_TASKS = 250;
/** Tasks that all queues of a pool together may have: four of five activities. */
const places = (instances: number): number => 4 * instances;

/** A deployment with defaults: one queue per lane, thresholds of the default policy. */
export const asDeployed = (instances: number): Deployment => ({
  ...{ ...COMMON, instances, queues: 1, subscriptions: 1 },
  tasksPerQueue: Math.min(DEFAULT_TASKS, places(instances)),
});

/** Queues per lane with which a thousand instances get all tasks that the plan allows. */
export const SPREAD_QUEUES = 16;

/** With `queuesPerLane: 16`, and policies whose thresholds reach the capacity. */
export const spread = (instances: number): Deployment => ({
  ...{ ...COMMON, instances, queues: SPREAD_QUEUES, subscriptions: 1 },
  tasksPerQueue: Math.min(MAX_TASKS, places(instances) / SPREAD_QUEUES),
});

/** The local stack of the measured runs: one thread per instance, one subscription of the app and one of the bench. */
export const local = (instances: number): Deployment => ({
  ...asDeployed(instances),
  ...{ subscriptions: 2, isWarm: true },
});
