/**
 * What bounds a number of instances, and at how many items per second: pure functions of measured constants and
 * documented limits. `simulate.ts` plays the same in virtual time. All times in seconds.
 */
import { LIMITS } from './limits.ts';

/** A handler, and how its items are cut into chunks. */
export interface Work {
  name: string;
  itemsPerChunk: number;
  /** CPU of one core per item: the whole drain, storage calls included. */
  cpuPerItem: number;
  /** What an item waits; 0: it computes only. */
  wait: number;
  /** Items in flight per thread. */
  concurrency: number;
  /** Time of the instance that makes the report, per item: partial aggregates are read and merged. */
  mergePerItem: number;
  /** Bytes that leave storage per item: payload, and partial aggregate. */
  bytesPerItem: number;
}

/** Instances, and how the drains may use them. */
export interface Deployment {
  instances: number;
  /** Of each instance; one worker thread per core. */
  cores: number;
  /** Storage queues of the workload's lane: each has a drain of its own. */
  queues: number;
  /** Most tasks of one wave: the least of threshold, capacity and 1,000. */
  tasksPerQueue: number;
  /** Activities that an instance runs at a time (host.json). */
  activities: number;
  /** Of a storage call. */
  latency: number;
  /** Subscriptions of the topic. */
  subscriptions: number;
  /** Whether all instances are up before there is work, as on the local stack; then tasks are spread evenly. */
  isWarm?: boolean;
}

/** What the measurements give. */
export interface Constants {
  /** Wall time of the instance that takes an upload. */
  acceptPerItem: number;
  /** Time of the collector per chunk, storage calls not included. */
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

/** Seconds of a slice, least between two result messages of a round, most messages of a receive, rows of a transaction. */
export const SLICE = 30;
export const PUBLISH = 5;
export const RECEIVE = 32;
export const ROWS = 98;
/** Storage calls one after the other: of a round beside its chunks, of a wave's end. */
export const ROUND_CALLS = 5;
export const WAVE_CALLS = 6;
/** References that an upload puts at the same time. */
export const PUTS_AT_ONCE = 16;

/** How long one thread takes for a chunk, its core for itself. */
export const chunkSeconds = ({ itemsPerChunk, cpuPerItem, wait, concurrency }: Work): number =>
  Math.max(Math.ceil(itemsPerChunk / concurrency) * wait, itemsPerChunk * cpuPerItem);

/**
 * Instances that get tasks: the platform adds them by the number of activities that wait, divided by those that one runs
 * (DurableTaskTargetScaler.cs of the durable extension).
 */
export const instancesUsed = ({ instances, queues, tasksPerQueue, activities, isWarm }: Deployment): number =>
  Math.min(instances, Math.ceil((queues * tasksPerQueue) / (isWarm ? 1 : activities)));

/** Tasks that run at the same time on an instance, and references of one receive: half a minute of work at most. */
export function roundOf(work: Work, deployment: Deployment): { perInstance: number; receive: number; seconds: number } {
  const { queues, tasksPerQueue, activities, cores, latency } = deployment;
  const perInstance = Math.min(activities, (queues * tasksPerQueue) / instancesUsed(deployment));
  const own = (chunkSeconds(work) * Math.max(1, perInstance)) / cores;
  const receive = Math.max(1, Math.min(RECEIVE, Math.floor(SLICE / own)));
  return { perInstance, receive, seconds: receive * own + ROUND_CALLS * latency };
}

/** Chunks per second of one instance while it has tasks: its threads, or the rounds of too few tasks. */
export function instanceRate(work: Work, deployment: Deployment): number {
  const { perInstance, receive } = roundOf(work, deployment);
  const threads = deployment.cores / chunkSeconds(work);
  return Math.min(threads, (perInstance * receive) / (ROUND_CALLS * deployment.latency + receive / threads));
}

/**
 * Part of a wave in which an instance has tasks. An orchestration starts its tasks one after the other, so the wave is longer
 * than a slice; the instance has the first of its tasks after `used / fanOut`, and the last ends as much before the wave does.
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

/** What a chunk uses of each service. */
export function usePerChunk(
  work: Work,
  deployment: Deployment,
): Record<'account' | 'queue' | 'ledger' | 'gate' | 'credits' | 'blob', number> {
  const { receive, seconds } = roundOf(work, deployment);
  // A round publishes its results at its end, and whenever a chunk ends five seconds after the last time.
  const chunksPerMessage = Math.floor((PUBLISH * receive) / seconds) + 1;
  const messages = Math.ceil(receive / chunksPerMessage) / receive;
  const rounds = 1 / receive;
  return {
    // Reference put and deleted, outcome put, partial aggregate read; receive and frames per round; result put, got, deleted.
    account: 4 + 2 * rounds + 3 * messages + 2 / ROWS,
    queue: 3,
    // Inserted once and changed once, with the batch row once per transaction.
    ledger: 2 + 2 / ROWS,
    // Read before each receive; heartbeat and fence once per slice.
    gate: rounds + (2 * seconds) / SLICE / receive,
    // An event per result message: sent, matched against each subscription, received.
    credits: messages * (2 + deployment.subscriptions),
    blob: rounds,
  };
}

/** What a rate is, and what bounds it. */
export interface Rate {
  itemsPerSecond: number;
  bound: Bound;
}

/** What is run: batches of one size, in the queues at the start, or after an upload of all of them to one instance. */
export interface Load {
  batches: number;
  chunksPerBatch: number;
  withUpload?: boolean;
}

type Bounds = [bound: Bound, chunksPerSecond: number][];

/** What a chunk takes of the one collector of its workload: its part of a round and of a transaction, and its merge. */
function collectorSeconds(work: Work, deployment: Deployment, { collectPerChunk }: Constants) {
  const perMessage = 1 / (usePerChunk(work, deployment).credits / (2 + deployment.subscriptions));
  const calls = 2 / Math.min(RECEIVE * perMessage, RECEIVE ** 2) + 2 / Math.min(ROWS, RECEIVE * perMessage);
  return { ledger: collectPerChunk + calls * deployment.latency, merge: work.mergePerItem * work.itemsPerChunk };
}

function drainBounds(work: Work, deployment: Deployment, batches: number): Bounds {
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

const leastOf = (bounds: Bounds): Bounds[number] =>
  bounds.reduce((least, each) => (each[1] < least[1] ? each : least), ['instances', Number.POSITIVE_INFINITY]);

/** The rate while work never runs out, and what bounds it; `batches` large ones are under way at the same time. */
export function steadyRate(work: Work, deployment: Deployment, constants: Constants, batches: number): Rate {
  const { ledger, merge } = collectorSeconds(work, deployment, constants);
  const [bound, chunks] = leastOf([...drainBounds(work, deployment, batches), ['collector', 1 / (ledger + merge)]]);
  return { itemsPerSecond: chunks * work.itemsPerChunk, bound };
}

/** How long a load takes, and the part of it that more instances do not shorten. */
export interface LoadTime {
  seconds: number;
  serialSeconds: number;
}

/** Seconds of work that a task should get (`targetSeconds` of the default policy). */
export const TARGET = 10;

/** Tasks of a wave for so many chunks: those of the policy, but each with its ten seconds of work. */
function tasksFor(
  work: Work,
  { tasksPerQueue, queues, cores, isWarm, activities }: Deployment,
  chunks: number,
): number {
  // Tasks that share the threads of an instance take so much longer for a reference.
  const sharing = isWarm ? 1 : activities;
  const perReference = (chunkSeconds(work) * sharing) / cores;
  const perQueue = chunks / queues;
  return Math.max(1, Math.min(tasksPerQueue, perQueue, Math.ceil((perQueue * perReference) / TARGET)));
}

/** A load alone, to its last report: Amdahl's law with the steps of one instance. */
export function loadTime(load: Load, work: Work, deployment: Deployment, constants: Constants): LoadTime {
  const { batches, chunksPerBatch, withUpload = false } = load;
  const chunks = batches * chunksPerBatch;
  const limited = { ...deployment, tasksPerQueue: tasksFor(work, deployment, chunks) };
  // Chunk rows by transactions one after the other, then the references.
  const enqueue = Math.max(
    chunks / LIMITS.queue.value / deployment.queues,
    chunks * deployment.latency * (1 / ROWS + 1 / PUTS_AT_ONCE),
  );
  const upload = withUpload ? chunks * work.itemsPerChunk * constants.acceptPerItem + enqueue + 2 * constants.start : 0;
  const { ledger, merge } = collectorSeconds(work, limited, constants);
  const [, chunksPerSecond] = leastOf(drainBounds(work, limited, batches));
  // No batch is merged before its last chunk: the last one after the drain, and all of them after the first has been drained.
  const drain = chunks / chunksPerSecond;
  const drained = drain + chunksPerBatch * merge;
  const fromFirst = drain / batches + chunks * merge + (chunks - chunksPerBatch) * ledger;
  const collected = Math.max(chunks * (ledger + merge), fromFirst);
  return {
    seconds: upload + chunkSeconds(work) + Math.max(drained, collected),
    serialSeconds: upload + (drained >= collected ? chunksPerBatch * merge : chunks * (ledger + merge)),
  };
}
