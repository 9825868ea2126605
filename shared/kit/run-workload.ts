/**
 * The test kit: a workload over items in memory, by the code that runs it in the cloud. Chunking, validation, handler,
 * retries, dead letters, frames and report are the real ones; queues, storage and the waits between tries are left out.
 */
import { followUps } from '../batches/follow-ups.ts';
import { outcomeBlobName } from '../contract/names.ts';
import { type DeadItem, type FailedFold, failureOf, type PartialLine } from '../contract/outcome.ts';
import type { Reference } from '../contract/reference.ts';
import type { ChunkJob, ChunkOutcome } from '../processing/thread/thread-task.ts';
import { createMerge } from '../results/merge.ts';
import type { Workload } from '../workload/define.ts';
import { type Calls, createCallCounters, readCalls } from './calls.ts';
import { cutIntoChunks, START_MS } from './cut-into-chunks.ts';
import { type Blobs, createMemory } from './memory.ts';
import { readDead, readPartial, readResultLines } from './read-outcome.ts';
import { runHere, runInThreads } from './runners.ts';

/** How to run. */
export interface RunOptions {
  /** What lies in the workload's containers at the start, by container and name. */
  blobs?: Record<string, Blobs>;
  /**
   * In a real worker thread, which may die: with `true` for a workload of workloads/index.ts, else with the address of the
   * module whose default export is the workload. The handler is the module's, the limits are those of `workload`. There
   * are no containers.
   */
  threads?: boolean | URL;
  /** The call of the handler at which the batch is cancelled: none begins after it; 0 for a batch that never began. */
  cancelAfterCalls?: number;
}

/** What became of the items. */
export interface RunResult extends Calls {
  /** In the order in which `GET batches/{id}/results` gives them: by chunk, those of retries after the chunk's own. */
  results: unknown[];
  /** By their position in the batch. */
  deadLetters: DeadItem[];
  /** Value by key; empty for a workload without `reduce`. */
  report: Record<string, unknown>;
  /** Items that had not ended when the batch was cancelled. */
  cancelled: number;
  /** Chunks, those of retries included. */
  chunks: number;
  /** The workload's containers after the run. */
  blobs: Record<string, Blobs>;
  /** What handlers logged. */
  log: string[];
  /** The outcome blobs as the pipeline stores them, by name. */
  outcomes: Blobs;
}

const APP_WORKLOADS = new URL('../../workloads/index.ts', import.meta.url);

interface End {
  reference: Reference;
  outcome: ChunkOutcome;
}

/**
 * Runs `workload` over `items` until each is a result, a dead letter or cancelled.
 * @throws Error when the report depends on the order of the chunks, or an item is none of them; Problem for no
 * items; ReportError when `merge` or `finish` throws, or returns what is not JSON.
 */
export async function runWorkload(
  workload: Workload,
  items: Iterable<unknown>,
  options: RunOptions = {},
): Promise<RunResult> {
  const memory = createMemory(options.blobs);
  const log: string[] = [];
  const { payload, references } = await cutIntoChunks(workload, items);
  const count = references.reduce((sum, reference) => sum + reference.items, 0);
  const counters = createCallCounters(count, options.cancelAfterCalls);
  const tools = { counters, log: (message: string) => log.push(message) };
  const runner = options.threads
    ? runInThreads(workload, options.threads === true ? APP_WORKLOADS : options.threads, tools)
    : runHere(workload, memory.open, tools);
  const deadlineAt = new Date(START_MS + workload.deadlineSeconds * 1_000).toISOString();
  try {
    const ends = await runAll(references, payload, (job) => runner.run({ ...job, deadlineAt }));
    return { ...(await collect(workload, ends)), ...readCalls(counters), blobs: memory.containers, log };
  } finally {
    await runner.close();
  }
}

async function runAll(
  references: Reference[],
  payload: Buffer,
  run: (job: ChunkJob) => Promise<ChunkOutcome>,
): Promise<End[]> {
  const stored = new Map<string, Uint8Array>();
  const queue = references.map((reference) => ({ reference, dueMs: START_MS }));
  const ends: End[] = [];
  for (const { reference, dueMs } of queue) {
    const blob = stored.get(reference.blob) ?? payload;
    const frame = blob.subarray(reference.offset, reference.offset + reference.length);
    const outcome = await run({ reference, frame, nowMs: dueMs });
    stored.set(nameOf(reference), outcome.body);
    ends.push({ reference, outcome });
    for (const next of followUps(reference, outcome.header)) {
      queue.push({ reference: next.reference, dueMs: next.dueAt === undefined ? dueMs : Date.parse(next.dueAt) });
    }
  }
  return ends.sort((a, b) => (a.reference.chunk < b.reference.chunk ? -1 : 1));
}

const nameOf = ({ workload, batch, chunk }: Reference): string => outcomeBlobName(workload, batch, chunk);
const fetchFrom =
  ({ outcome: { body } }: End) =>
  async (offset: number, length: number): Promise<Uint8Array> =>
    body.subarray(offset, offset + length);

async function collect(workload: Workload, ends: End[]): Promise<Omit<RunResult, keyof Calls | 'blobs' | 'log'>> {
  const lines = await Promise.all(ends.map((end) => readResultLines(end.outcome.header, fetchFrom(end))));
  const dead = await Promise.all(ends.map((end) => readDead(end.outcome.header, fetchFrom(end))));
  const accepted = ends.filter(({ reference }) => reference.kind === 'items' && reference.skip === undefined);
  const items = accepted.reduce((sum, { reference }) => sum + reference.items, 0);
  const results = lines.flat().map((line): unknown => JSON.parse(line));
  const deadLetters = dead.flat().sort((a, b) => a.index - b.index);
  const cancelled = ends.reduce((sum, { outcome }) => sum + outcome.header.counts.cancelled, 0);
  if (items !== results.length + deadLetters.length + cancelled) {
    const ended = `${results.length} results, ${deadLetters.length} dead letters and ${cancelled} cancelled ones`;
    throw new Error(`${items} items came to ${ended}.`);
  }
  return {
    results,
    deadLetters,
    report: await reportOf(workload, ends),
    cancelled,
    chunks: ends.length,
    outcomes: Object.fromEntries(ends.map(({ reference, outcome }) => [nameOf(reference), outcome.body])),
  };
}

/** Chunks finish in any order, and are merged in another one after a repair: the report must not tell. */
async function reportOf(workload: Workload, ends: readonly End[]): Promise<Record<string, unknown>> {
  const forward = await mergeAll(workload, ends);
  const backward = await mergeAll(workload, ends.toReversed());
  const differing = forward.findIndex((line, index) => line !== backward[index]);
  if (differing >= 0) {
    throw new Error(`The report depends on the order of chunks: ${forward[differing]}, or ${backward[differing]}.`);
  }
  const rows = forward.map((line) => JSON.parse(line) as PartialLine);
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** In the cloud the report folds the results again, and fails as this does while the workload is the same. */
function foldedOf(lines: (PartialLine | FailedFold)[]): PartialLine[] {
  const failure = failureOf(lines);
  if (failure === undefined) return lines as PartialLine[];
  throw new Error(`The results of a chunk cannot be folded: ${failure}`);
}

async function mergeAll(workload: Workload, ends: readonly End[]): Promise<string[]> {
  const merge = createMerge(workload);
  // Read again for each merge: it may change what it is given.
  for (const end of ends) merge.add(foldedOf(await readPartial(end.outcome.header, fetchFrom(end))));
  return merge.lines();
}
