/** What a run of `--scale` leaves (bench/results/scale.json), and the constants of the model that follow from it. */
import type { Results } from '../report/results.ts';
import { CHUNK_ITEMS, CONCURRENCY } from './app/waiting.ts';
import { type InstancesRun, LATENCY_MS } from './instances.ts';
import type { Constants, Deployment, Work } from './model.ts';
import type { SerialResult } from './serial.ts';

/** All that was measured. */
export interface ScaleResults extends Pick<Results, 'date' | 'commit' | 'command' | 'machine'> {
  runs: InstancesRun[];
  serial: SerialResult;
}

const WAIT = 0.05;
/** Measured, 2026-11-21, `npm run bench -- --wake`: p50 where durable work is polled, as on the Azure Storage backend. */
const WAKE = 0.264;

/** Constants of the model: all of CPU time, since an instance of the tables has one core and wall time depends on other work. */
export const constantsOf = ({ serial }: ScaleResults): Constants => ({
  acceptPerItem: serial.acceptance.cpuSeconds / serial.items,
  collectPerChunk: serial.collecting.cpuSeconds / serial.chunks,
  start: WAKE,
});

/** Measured, 2026-11-21 (docs/performance.md): storage moves 60 MB per million items of billing, in and out. */
const BYTES_PER_ITEM = 60;

/** The app's own billing, which computes. */
export const billingWork = ({ serial }: ScaleResults, itemsPerChunk: number): Work => ({
  ...{ name: 'billing (computes)', itemsPerChunk, wait: 0, concurrency: 1 },
  cpuPerItem: serial.drain.cpuSeconds / serial.items,
  mergePerItem: serial.report.cpuSeconds / serial.items,
  bytesPerItem: BYTES_PER_ITEM,
});

/** A handler that waits 50 ms. Its CPU is that of the longest run, acceptance included. */
export function waitingWork({ runs }: ScaleResults, itemsPerChunk = CHUNK_ITEMS): Work {
  const largest = runs.reduce((best, run) => (run.items > best.items ? run : best));
  const name = `waits 50 ms, ${CONCURRENCY} at a time`;
  const cpuPerItem = largest.cpuSeconds / largest.items;
  const none = { mergePerItem: 0, bytesPerItem: BYTES_PER_ITEM };
  return { name, itemsPerChunk, wait: WAIT, concurrency: CONCURRENCY, cpuPerItem, ...none };
}

/** Activities of host.json; an instance of 2,048 MB has one core. */
const COMMON = { activities: 5, cores: 1, latency: LATENCY_MS / 1_000 };
const MOST_TASKS = 1_000;
/** Tasks of the last threshold of the default policy. */
const DEFAULT_TASKS = 100;
/** `SLUICE_CAPACITY` as the deployment sets it. */
const capacity = (instances: number): number => Math.min(4 * instances, MOST_TASKS);

/** As it is deployed without a choice of its own: one queue per lane, thresholds of the default policy. */
export const asDeployed = (instances: number): Deployment => ({
  ...{ ...COMMON, instances, queues: 1, subscriptions: 1 },
  tasksPerQueue: Math.min(DEFAULT_TASKS, capacity(instances)),
});

/** Queues per lane with which a thousand instances get five activities each. */
export const SPREAD_QUEUES = 5;

/** With `queuesPerLane: 5`, and policies whose thresholds reach the capacity. */
export const spread = (instances: number): Deployment => ({
  ...{ ...COMMON, instances, queues: SPREAD_QUEUES, subscriptions: 1, tasksPerQueue: capacity(instances) },
});

/** The local stack of the measured runs: one thread each, its own subscription and the bench's. */
export const local = (instances: number): Deployment => ({
  ...asDeployed(instances),
  ...{ subscriptions: 2, isWarm: true },
});
