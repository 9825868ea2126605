/**
 * Computes what limits a number of instances, and at how many items per second: pure functions of measured constants
 * and documented limits. `simulate.ts` simulates the same in virtual time. All times in seconds.
 */
import { LIMITS } from './limits.ts';

/** A handler, and the division of its items into chunks. */
export interface Work {
  name: string;
  itemsPerChunk: number;
  /** CPU time of one core per item, for the whole drain including storage calls. */
  cpuPerItem: number;
  /** Wait per item; 0 means that the handler only computes. */
  wait: number;
  /** Items in flight per thread. */
  concurrency: number;
  /** Time of the instance that builds the report, per item: partial aggregates are read and merged. */
  mergePerItem: number;
  /** Bytes read from storage per item: payload and partial aggregate. */
  bytesPerItem: number;
}

/** Instances, and their limits for drains. */
export interface Deployment {
  instances: number;
  /** Cores per instance; one worker thread per core. */
  cores: number;
  /** Storage queues of the workload's lane; each has a separate drain. */
  queues: number;
  /** Maximum number of tasks per wave: the minimum of threshold, capacity, share of the pool and 250. */
  tasksPerQueue: number;
  /** Activities that an instance runs at the same time (host.json). */
  activities: number;
  /** Latency of a storage call. */
  latency: number;
  /** Subscriptions of the topic. */
  subscriptions: number;
  /** Whether all instances are running before there is work, as on the local stack. Then tasks are spread evenly. */
  isWarm?: boolean;
}

/** The measured constants. */
export interface Constants {
  /** Wall time of the instance that accepts an upload. */
  acceptPerItem: number;
  /** Time of the collector per chunk, without storage calls. */
  collectPerChunk: number;
  /** From a wake event to the first call of the handler. */
  start: number;
}

/** What can bound the rate. */
export type Bound =
  | 'instances'
  | 'tasks per wave'
  | 'collector'
  | 'storage account'
  | 'bytes out'
  | 'queue'
  | 'ledger partition'
  | 'gate partition'
  | 'payload blob'
  | 'Service Bus';

/**
 * Seconds of a slice, minimum seconds between two result messages of a round, maximum messages per receive, rows per
 * transaction.
 */
export const SLICE = 30;
export const PUBLISH = 5;
export const RECEIVE = 32;
export const ROWS = 98;
/** Sequential storage calls: of a round in addition to its chunks, and at the end of a wave. */
export const ROUND_CALLS = 5;
export const WAVE_CALLS = 6;
/** Seconds of work that a task should get (`targetSeconds` of the default policy). */
export const TARGET = 10;
/** References that an upload puts at the same time. */
export const PUTS_AT_ONCE = 16;

/** Returns the time that one thread needs for a chunk, on a separate core. */
export const chunkSeconds = ({ itemsPerChunk, cpuPerItem, wait, concurrency }: Work): number =>
  Math.max(Math.ceil(itemsPerChunk / concurrency) * wait, itemsPerChunk * cpuPerItem);

/**
 * Returns the number of instances that get tasks. The platform adds instances by the number of waiting activities,
 * divided by the number that one instance runs (source: DurableTaskTargetScaler.cs of the durable extension).
 */
export const instancesUsed = ({ instances, queues, tasksPerQueue, activities, isWarm }: Deployment): number =>
  Math.min(instances, Math.ceil((queues * tasksPerQueue) / (isWarm ? 1 : activities)));

/** Returns the concurrent tasks per instance, and the references per receive: at most half a minute of work. */
export function roundOf(work: Work, deployment: Deployment): { perInstance: number; receive: number; seconds: number } {
  const { queues, tasksPerQueue, activities, cores, latency } = deployment;
  const perInstance = Math.min(activities, (queues * tasksPerQueue) / instancesUsed(deployment));
  const own = (chunkSeconds(work) * Math.max(1, perInstance)) / cores;
  const receive = Math.max(1, Math.min(RECEIVE, Math.floor(SLICE / own)));
  return { perInstance, receive, seconds: receive * own + ROUND_CALLS * latency };
}

/**
 * Returns the chunks per second of one instance while it has tasks. Its threads limit it, or the rounds of too few
 * tasks.
 */
export function instanceRate(work: Work, deployment: Deployment): number {
  const { perInstance, receive } = roundOf(work, deployment);
  const threads = deployment.cores / chunkSeconds(work);
  return Math.min(threads, (perInstance * receive) / (ROUND_CALLS * deployment.latency + receive / threads));
}

/**
 * Returns the part of a wave in which an instance has tasks. An orchestration starts its tasks one after the other, so
 * a wave is longer than a slice. An instance has its first task after `used / fanOut`, and its last task ends earlier
 * than the wave by the same time.
 */
export function wavePart(deployment: Deployment): number {
  const { queues, tasksPerQueue, activities, latency } = deployment;
  const usedPerQueue = instancesUsed(deployment) / queues;
  const atOnce = Math.min(tasksPerQueue, usedPerQueue * activities);
  const slices = Math.ceil(tasksPerQueue / atOnce);
  const starts = atOnce / LIMITS.fanOut.value;
  const fanIn = Math.max(0, atOnce / LIMITS.fanIn.value - starts);
  const busy = slices * SLICE + starts - usedPerQueue / LIMITS.fanOut.value;
  return Math.min(1, busy / (slices * SLICE + starts + fanIn + WAVE_CALLS * latency));
}

/** Returns how much a chunk uses of each service. */
export function usePerChunk(
  work: Work,
  deployment: Deployment,
): Record<'account' | 'queue' | 'ledger' | 'gate' | 'credits' | 'blob', number> {
  const { receive, seconds } = roundOf(work, deployment);
  // A round publishes its results at its end, and when a chunk ends more than five seconds after the last publication.
  const chunksPerMessage = Math.floor((PUBLISH * receive) / seconds) + 1;
  const messages = Math.ceil(receive / chunksPerMessage) / receive;
  const rounds = 1 / receive;
  return {
    // Reference put and deleted, outcome put, partial aggregate read; receive and frames per round; result put,
    // received and deleted.
    account: 4 + 2 * rounds + 3 * messages + 2 / ROWS,
    queue: 3,
    // Inserted once and updated once, with the batch row once per transaction.
    ledger: 2 + 2 / ROWS,
    // Read before each receive; heartbeat and fence once per slice.
    gate: rounds + (2 * seconds) / SLICE / receive,
    // One event per result message: sent, matched against each subscription, received.
    credits: messages * (2 + deployment.subscriptions),
    blob: rounds,
  };
}

/** A rate, and what limits it. */
export interface Rate {
  itemsPerSecond: number;
  bound: Bound;
}

/** The simulated work: batches of one size, either in the queues at the start, or uploaded together to one instance. */
export interface Load {
  batches: number;
  chunksPerBatch: number;
  withUpload?: boolean;
}

type Bounds = [bound: Bound, chunksPerSecond: number][];

/**
 * Returns the time that a chunk needs of the single collector of its workload: a part of a round and of a transaction,
 * and its merge.
 */
export function collectorSeconds(work: Work, deployment: Deployment, { collectPerChunk }: Constants) {
  const perMessage = 1 / (usePerChunk(work, deployment).credits / (2 + deployment.subscriptions));
  const calls = 2 / Math.min(RECEIVE * perMessage, RECEIVE ** 2) + 2 / Math.min(ROWS, RECEIVE * perMessage);
  return { ledger: collectPerChunk + calls * deployment.latency, merge: work.mergePerItem * work.itemsPerChunk };
}

/** Returns the bounds of the drains: the tasks, and the limits of the services. */
export function drainBounds(work: Work, deployment: Deployment, batches: number): Bounds {
  const used = instancesUsed(deployment);
  const use = usePerChunk(work, deployment);
  return [
    [
      used < deployment.instances ? 'tasks per wave' : 'instances',
      used * instanceRate(work, deployment) * wavePart(deployment),
    ],
    ['storage account', LIMITS.account.value / use.account],
    ['bytes out', LIMITS.egressBytes.value / (work.bytesPerItem * work.itemsPerChunk)],
    ['queue', (LIMITS.queue.value * deployment.queues) / use.queue],
    ['ledger partition', (LIMITS.partition.value * batches) / use.ledger],
    ['gate partition', LIMITS.partition.value / use.gate],
    ['payload blob', (LIMITS.blob.value * batches) / use.blob],
    ['Service Bus', LIMITS.serviceBus.value / use.credits],
  ];
}

/** Returns the lowest of some bounds. */
export const leastOf = (bounds: Bounds): Bounds[number] =>
  bounds.reduce((least, each) => (each[1] < least[1] ? each : least), ['instances', Number.POSITIVE_INFINITY]);

/**
 * Returns the rate while work is always available, and what limits it. `batches` large batches run at the same time.
 */
export function steadyRate(work: Work, deployment: Deployment, constants: Constants, batches: number): Rate {
  const { ledger, merge } = collectorSeconds(work, deployment, constants);
  const [bound, chunks] = leastOf([...drainBounds(work, deployment, batches), ['collector', 1 / (ledger + merge)]]);
  return { itemsPerSecond: chunks * work.itemsPerChunk, bound };
}
