/**
 * Measures the part of a batch that only one instance can do. To separate the phases, both queues are paused, and
 * resumed one after the other. Between the phases the instance is restarted. It loses what it has merged in advance, so
 * it builds the report from storage, like an instance that has not run the chunks.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_HOST, type LocalStack, logFile } from 'functions-local';
import { read, uploadFile } from '../stack/api.ts';
import { writeUpload, writeWaitingUpload } from '../stack/data.ts';
import { CHUNK_ITEMS, scaled } from './app/waiting.ts';
import { cpuOf, onScaleStack, type ScaleStack } from './stack.ts';

/** Duration of a phase. CPU seconds are those of the app, all threads. */
export interface Spent {
  seconds: number;
  cpuSeconds: number;
}

/** The phases of one batch of billing on one instance. */
export interface SerialResult {
  items: number;
  chunks: number;
  /** One instance per upload: validation, storing, acceptance, references. */
  acceptance: Spent;
  /** Any number of instances. Includes `planning` and, on one instance, the merge, which is therefore counted twice. */
  drain: Spent;
  /** One at a time: the activities that measure the queue and plan the next wave. Their CPU is part of the drain's. */
  planning: { seconds: number; waves: number };
  /** One task per workload: its start, and the ledger until no chunk is pending. */
  collecting: Spent;
  /** The same task: merge and report. */
  report: Spent;
}

/** Target: the maximum share of one instance in a batch's CPU time. */
export const MAX_SERIAL = 0.1;
/** After 40,000 items, V8 was still compiling: acceptance took 1.5 times as long per item as after 200,000. */
const MIN_WARM_UP_ITEMS = 300_000;
const DRAIN_POLL_MS = 250;
const LEDGER_POLL_MS = 20;

/** Returns the share of the CPU time that only one instance can spend. */
export const serialPart = ({ acceptance, drain, collecting, report }: SerialResult): number => {
  const serial = acceptance.cpuSeconds + collecting.cpuSeconds + report.cpuSeconds;
  return serial / (serial + drain.cpuSeconds);
};

/** Measures a batch of `items` items, after a warm-up with a fifth of them, but at least 300,000. */
export async function measureSerial(
  place: { folder: string; appFolder: string },
  items: number,
): Promise<SerialResult> {
  const folder = join(place.folder, 'serial');
  return onScaleStack({ ...place, folder, instances: 1 }, async (running) => {
    const [warmUp, file] = [join(folder, 'warm-up.zst'), join(folder, 'measured.zst')];
    const waiting = join(folder, 'waiting.zst');
    await writeUpload(warmUp, Math.max(MIN_WARM_UP_ITEMS, Math.ceil(items / 5)));
    await writeUpload(file, items);
    await writeWaitingUpload(waiting, CHUNK_ITEMS);
    await uploadAndWait(running, 'billing', warmUp);
    return measurePhases(running, { file, waiting });
  });
}

interface Uploaded {
  id: string;
  lane: string;
  chunks: { total: number };
  counts: { accepted: number };
}

async function uploadAndWait({ api, events }: ScaleStack, workload: string, file: string): Promise<void> {
  const { id } = await uploadFile(api, workload, file);
  await events.first(({ event }) => event.type === 'BatchCompleted' && event.batch === id);
}

async function measurePhases(
  running: ScaleStack,
  { file, waiting }: { file: string; waiting: string },
): Promise<SerialResult> {
  const { api, events, stack } = running;
  for (const queue of [...(await itemQueues(running)), RESULTS]) await change(running, queue, 'pause');
  const begun = { ...(await cpuOf(stack)), ms: performance.now() };
  let last = begun;
  const lap = async (): Promise<Spent> => {
    const before = last;
    last = { ...(await cpuOf(stack)), ms: performance.now() };
    return { seconds: (last.ms - before.ms) / 1_000, cpuSeconds: last.instances - before.instances };
  };
  const { id } = await uploadFile(api, 'billing', file);
  const acceptance = await lap();
  const batch = JSON.parse(await read(api, `batches/${id}`)) as Uploaded;
  const queue = `billing-${batch.lane}-0`;
  const logged = await planningIn(stack);
  await lap();
  await change(running, queue, 'resume');
  while (!(await isDrained(running, queue))) await sleep(DRAIN_POLL_MS);
  const drain = await lap();
  const planned = await planningIn(stack);
  await startAnew(running, waiting);
  await lap();
  await change(running, RESULTS, 'resume');
  const completed = events.first(({ event }) => event.type === 'BatchCompleted' && event.batch === id);
  while (!(await isCollected(running, id))) await sleep(LEDGER_POLL_MS);
  const collecting = await lap();
  await completed;
  const report = await lap();
  const planning = { seconds: planned.seconds - logged.seconds, waves: planned.waves - logged.waves };
  const { accepted: items } = batch.counts;
  return { items, chunks: batch.chunks.total, acceptance, drain, planning, collecting, report };
}

/**
 * Restarts the app. A batch of another workload follows, so that connections exist and the first calls are not
 * measured.
 */
async function startAnew(running: ScaleStack, waiting: string): Promise<void> {
  for (const instance of running.stack.instances) {
    await instance.drain();
    await instance.start();
  }
  await uploadAndWait(running, scaled.name, waiting);
}

const RESULTS = 'billing-results';

async function itemQueues({ api }: ScaleStack): Promise<string[]> {
  const { queues } = JSON.parse(await read(api, 'queues')) as { queues: { queue: string }[] };
  return queues.map(({ queue }) => queue).filter((queue) => queue.startsWith('billing-') && queue !== RESULTS);
}

async function isDrained({ api }: ScaleStack, queue: string): Promise<boolean> {
  const { status, depth } = JSON.parse(await read(api, `queues/${queue}?fresh`)) as { status: string; depth: number };
  return status === 'idle' && depth === 0;
}

async function isCollected({ api }: ScaleStack, id: string): Promise<boolean> {
  const { chunks } = JSON.parse(await read(api, `batches/${id}`)) as { chunks: { total: number; done: number } };
  return chunks.done === chunks.total;
}

async function change({ api }: ScaleStack, queue: string, how: 'pause' | 'resume'): Promise<void> {
  const { paused } = JSON.parse(await read(api, `queues/${queue}`)) as { paused: { since: string } | null };
  const answer = await fetch(`${api.url}/api/queues/${queue}/${how}`, {
    method: 'POST',
    headers: { 'x-functions-key': api.key, 'content-type': 'application/json' },
    body: JSON.stringify(how === 'pause' ? { reason: 'measured phase by phase' } : { since: paused?.since }),
  });
  if (!answer.ok) throw new Error(`Expected ${how} of ${queue}, got ${answer.status}: ${await answer.text()}`);
}

/** Reads the duration of the executions, which the host logs. */
async function planningIn({ folder }: LocalStack): Promise<{ seconds: number; waves: number }> {
  const log = await readFile(logFile(folder, FIRST_HOST), 'utf8');
  const found = [...log.matchAll(/Executed 'Functions\.finish-wave' \(.*Duration=(\d+)ms\)/g)];
  return { seconds: found.reduce((sum, [, ms]) => sum + Number(ms), 0) / 1_000, waves: found.length };
}
