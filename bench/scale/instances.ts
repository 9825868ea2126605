/**
 * One, two, four and eight instances of the app behind a storage front with latency and limits: items/s compared with
 * the ideal.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createThrottle, type LocalStack } from 'functions-local';
import { WAIT_MS } from '../app/waiting.ts';
import { read, uploadFile } from '../stack/api.ts';
import { writeWaitingUpload } from '../stack/data.ts';
import type { Events } from '../stack/events.ts';
import { CHUNK_ITEMS, CONCURRENCY, type Share } from './app/waiting.ts';
import { cpuOf, onScaleStack } from './stack.ts';

/** The delay of every storage call, as between an instance and an account in its region. */
export const LATENCY_MS = 10;
/** The cores do not increase with the instances here, and one thread each is enough for a handler that waits. */
const THREADS = 1;

/** The phases of a batch, in seconds; their sum is the time of the run. */
export interface Phases {
  /** From the first byte of the upload to the acceptance, including validation and storing. */
  acceptance: number;
  /** Until all references are put and the batch is queued. */
  enqueue: number;
  /** Until the last item has ended, including the start of the drain. */
  drain: number;
  /** Until the last chunk is recorded in the ledger. */
  collecting: number;
  /** Until the batch is finished. */
  report: number;
}

/** A run of one batch. */
export interface InstancesRun {
  instances: number;
  items: number;
  /** The rate that the items in flight allow, in items per second. A handler that waits cannot exceed it. */
  ideal: number;
  /** From the first byte of the upload to the report. */
  seconds: number;
  phases: Phases;
  /** Number of instances that ran items, and the smallest and largest number of items of one of them. */
  tookPart: number;
  share: { least: number; most: number };
  /** Storage calls, and how many of them were throttled. */
  operations: number;
  throttled: number;
  /** CPU seconds of all instances, and the share of all cores that the whole run used, including storage and bench. */
  cpuSeconds: number;
  cores: number;
}

/** Above this share of the machine's cores, the machine limits the run rather than the instances. */
export const CPU_BOUND = 0.8;

/** Measures one number of instances, after a warm-up that starts threads and connections on each. */
export async function measureInstances(
  { folder, appFolder }: { folder: string; appFolder: string },
  { instances, seconds }: { instances: number; seconds: number },
): Promise<InstancesRun> {
  const throttle = createThrottle();
  const own = join(folder, `instances-${instances}`);
  const options = {
    ...{ folder: own, appFolder, instances, settings: { SLUICE_THREADS: String(THREADS) } },
    storageClient: { latencyMs: LATENCY_MS, throttle },
  };
  return onScaleStack(options, async ({ stack, events }) => {
    const ideal = (instances * THREADS * CONCURRENCY * 1_000) / WAIT_MS;
    const step = instances * THREADS * CHUNK_ITEMS;
    const items = Math.max(1, Math.round((ideal * seconds) / step)) * step;
    await runBatch(stack, events, await uploadOf(own, 'warm-up', 4 * step));
    const file = await uploadOf(own, 'measured', items);
    const { calls, ...refused } = { ...throttle.counts };
    const cpu = await cpuOf(stack);
    const run = await runBatch(stack, events, file);
    const used = await cpuOf(stack);
    const now = throttle.counts;
    return {
      ...{ instances, items, ideal, ...run },
      operations: now.calls - calls,
      throttled: now.account + now.queue + now.partition - refused.account - refused.queue - refused.partition,
      cpuSeconds: used.instances - cpu.instances,
      cores: (used.all - cpu.all) / run.seconds / availableParallelism(),
    };
  });
}

async function uploadOf(folder: string, name: string, items: number): Promise<string> {
  const file = join(folder, `${name}.zst`);
  await writeWaitingUpload(file, items);
  return file;
}

interface Times {
  times: { accepted: string; queued: string; completed: string };
  latencyMs: { max: number };
  counts: { accepted: number; succeeded: number };
}

type BatchRun = Pick<InstancesRun, 'seconds' | 'phases' | 'tookPart' | 'share'>;

/** Sends a batch; throws if its report does not count every item exactly once. */
async function runBatch(stack: LocalStack, events: Events, file: string): Promise<BatchRun> {
  const api = { url: stack.url, key: stack.keys.function };
  const startMs = Date.now();
  const { id } = await uploadFile(api, 'scale', file);
  await events.first(({ event }) => event.type === 'BatchCompleted' && event.batch === id);
  const batch = JSON.parse(await read(api, `batches/${id}`)) as Times;
  const lines = (await read(api, `batches/${id}/report`)).trim().split('\n');
  const shares = lines.map((line) => (JSON.parse(line) as { value: Share }).value);
  const items = shares.map((share) => share.items);
  const total = items.reduce((sum, each) => sum + each, 0);
  if (total !== batch.counts.accepted) throw new Error(`Expected ${batch.counts.accepted} items, got ${total}.`);
  const acceptedMs = Date.parse(batch.times.accepted);
  const marks = [
    ...[startMs, acceptedMs, Date.parse(batch.times.queued)],
    Math.max(...shares.map(({ toMs }) => toMs)),
    acceptedMs + batch.latencyMs.max,
    Date.parse(batch.times.completed),
  ];
  const [acceptance = 0, enqueue = 0, drain = 0, collecting = 0, report = 0] = marks
    .slice(1)
    .map((mark, index) => (mark - (marks[index] ?? mark)) / 1_000);
  return {
    seconds: (Date.parse(batch.times.completed) - startMs) / 1_000,
    phases: { acceptance, enqueue, drain, collecting, report },
    tookPart: shares.length,
    share: { least: Math.min(...items), most: Math.max(...items) },
  };
}
