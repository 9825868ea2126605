/**
 * Runs a workload over items in memory, with the code that runs it in the cloud. Chunking, validation, handler, retries,
 * dead letters, frames and report are real. Queues, storage, limits across instances and the waits between attempts are
 * omitted.
 */
import { appFolderOf, workloadsOf } from '../app-folder.ts';
import { followUps } from '../batches/apply/follow-ups.ts';
import { outcomeBlobName } from '../contract/names.ts';
import { type DeadItem, type FailedFold, failureOf, type PartialLine } from '../contract/outcome.ts';
import type { Reference } from '../contract/reference.ts';
import { toError } from '../errors.ts';
import type { ChunkOutcome } from '../processing/outcome/encode/encode-outcome.ts';
import { readFrameLines } from '../processing/outcome/read-outcome.ts';
import type { ChunkJob } from '../processing/thread/thread-task.ts';
import { createMerge } from '../results/merge.ts';
import type { Workload } from '../workload/define.ts';
import { createCallCounters, readCalls } from './calls.ts';
import { cutIntoChunks, type ItemSource } from './cut-into-chunks.ts';
import { createMemory } from './memory.ts';
import { runHere, runInThreads } from './runners.ts';

/** How items are run. */
export interface RunOptions {
  /** The batch as which the items run: idempotency keys follow from it. By default, the same one in every run. */
  batch?: string;
  /** When the run begins, as handlers and dead letters see it, in milliseconds of Unix time. Defaults to 2026-01-01. */
  startMs?: number;
  /** Content of the workload's containers at the start, by container and name. */
  blobs?: Record<string, Record<string, Uint8Array>>;
  /**
   * Runs in a real worker thread, which may die. `true` is for a workload of the app in the working folder; otherwise, the address
   * of the module whose default export is the workload. The handler comes from the module, the limits from `workload`.
   * There are no containers.
   */
  threads?: boolean | URL;
  /** The call of the handler at which the batch is cancelled: no call begins after it; 0 for a batch that never began. */
  cancelAfterCalls?: number;
}

/** The results of a run. */
export interface RunResult {
  /** Calls of the handler by the item's position in the batch; 0 for an item that no handler saw. */
  calls: number[];
  /** Maximum number of calls of the handler at the same time; a call that has timed out counts until it ends. */
  maxInFlight: number;
  /** Number of tries after a failed one, over all items. A call that is repeated because a thread died does not count. */
  retried: number;
  /** In the order of `GET batches/{id}/results`: by chunk, and results of retries after those of their chunk. */
  results: unknown[];
  /** In the order of their positions in the batch. */
  deadLetters: DeadItem[];
  /** Value by key; empty for a workload without `reduce`, and if the report fails. */
  report: Record<string, unknown>;
  /** Items that had not ended when the batch was cancelled. */
  cancelled: number;
  /** Number of chunks, including those of retries. */
  chunks: number;
  /** Wall time of all chunks; the calls of one chunk run side by side. */
  handlerSeconds: number;
  /** The 1-based line of the source on which an item begins, by its position in the batch. */
  lineOf: (position: number) => number;
  /** The workload's containers after the run. */
  blobs: Record<string, Record<string, Uint8Array>>;
  /** Log lines of the handlers. */
  log: string[];
  /** The outcome blobs as the pipeline stores them, by name. */
  outcomes: Record<string, Uint8Array>;
}

/** The results of a run whose report may have failed. */
export interface ItemsRun extends RunResult {
  /**
   * Why there is no report: a ReportError if `merge` or `finish` throws or returns a value that is not JSON; an Error if
   * the results of a chunk cannot be folded, or if the report depends on the order of the chunks.
   */
  reportError: Error | undefined;
}

/** Default start of a run, so that its results are the same each time. */
const START_MS = Date.UTC(2026, 0, 1);
/** Default batch of a run, with an id created at START_MS. */
const BATCH = '019b76da-a800-7000-8000-000000000000';

interface RanChunk {
  reference: Reference;
  outcome: ChunkOutcome;
}

/**
 * Runs `workload` over the items of `source` until each is a result, a dead letter or cancelled. Everything is kept in
 * memory: the caller must limit the source.
 * @throws Error if an item is none of them; Problem if there are no items, and the errors of the source.
 */
export async function runItems(workload: Workload, source: ItemSource, options: RunOptions = {}): Promise<ItemsRun> {
  const { batch = BATCH, startMs = START_MS, threads } = options;
  const memory = createMemory(options.blobs);
  const log: string[] = [];
  const { payload, references, lineOf } = await cutIntoChunks(workload, source, { batch, startMs });
  const count = references.reduce((sum, reference) => sum + reference.items, 0);
  const counters = createCallCounters(count, options.cancelAfterCalls);
  const tools = { counters, log: (message: string) => log.push(message) };
  const runner = threads
    ? runInThreads(workload, threads === true ? workloadsOf(appFolderOf(process.cwd())) : threads, tools)
    : runHere(workload, memory.open, tools);
  const deadlineAt = new Date(startMs + workload.deadlineSeconds * 1_000).toISOString();
  try {
    const run = (job: ChunkJob): Promise<ChunkOutcome> => runner.run({ ...job, deadlineAt });
    const chunks = await runAll({ payload, references, startMs }, run);
    return { ...(await collect(workload, chunks)), ...readCalls(counters), lineOf, blobs: memory.containers, log };
  } finally {
    await runner.close();
  }
}

interface Cut {
  payload: Buffer;
  references: Reference[];
  startMs: number;
}

async function runAll(
  { payload, references, startMs }: Cut,
  run: (job: ChunkJob) => Promise<ChunkOutcome>,
): Promise<RanChunk[]> {
  const stored = new Map<string, Uint8Array>();
  const queue = references.map((reference) => ({ reference, dueMs: startMs }));
  const chunks: RanChunk[] = [];
  for (const { reference, dueMs } of queue) {
    const blob = stored.get(reference.blob) ?? payload;
    const frame = blob.subarray(reference.offset, reference.offset + reference.length);
    const outcome = await run({ reference, frame, nowMs: dueMs });
    stored.set(nameOf(reference), outcome.body);
    chunks.push({ reference, outcome });
    for (const next of followUps(reference, outcome.header)) {
      queue.push({ reference: next.reference, dueMs: next.dueAt === undefined ? dueMs : Date.parse(next.dueAt) });
    }
  }
  return chunks.sort((a, b) => (a.reference.chunk < b.reference.chunk ? -1 : 1));
}

const nameOf = ({ workload, batch, chunk }: Reference): string => outcomeBlobName(workload, batch, chunk);

/** Reads the lines of a frame as the API reads them. */
const linesOf = ({ outcome: { header, body } }: RanChunk, frame: 'results' | 'dead' | 'partial'): Promise<string[]> =>
  readFrameLines(header[frame], async (offset, length) => body.subarray(offset, offset + length));

async function collect(
  workload: Workload,
  chunks: RanChunk[],
): Promise<Omit<ItemsRun, 'calls' | 'maxInFlight' | 'retried' | 'lineOf' | 'blobs' | 'log'>> {
  const lines = await Promise.all(chunks.map((chunk) => linesOf(chunk, 'results')));
  const dead = await Promise.all(chunks.map((chunk) => linesOf(chunk, 'dead')));
  const accepted = chunks.filter(({ reference }) => reference.kind === 'items' && reference.skip === undefined);
  const items = accepted.reduce((sum, { reference }) => sum + reference.items, 0);
  const results = lines.flat().map((line): unknown => JSON.parse(line));
  const deadLetters = dead.flat().map((line): DeadItem => JSON.parse(line));
  deadLetters.sort((a, b) => a.index - b.index);
  const cancelled = chunks.reduce((sum, { outcome }) => sum + outcome.header.counts.cancelled, 0);
  if (items !== results.length + deadLetters.length + cancelled) {
    const ended = `${results.length} results, ${deadLetters.length} dead letters and ${cancelled} cancelled ones`;
    throw new Error(`Expected ${items} ended items, got ${ended}.`);
  }
  return {
    results,
    deadLetters,
    ...(await tryReport(workload, chunks)),
    cancelled,
    chunks: chunks.length,
    handlerSeconds: chunks.reduce((sum, { outcome }) => sum + outcome.header.handlerSeconds, 0),
    outcomes: Object.fromEntries(chunks.map(({ reference, outcome }) => [nameOf(reference), outcome.body])),
  };
}

/** As in the cloud, a failed report costs no result. */
async function tryReport(workload: Workload, chunks: RanChunk[]): Promise<Pick<ItemsRun, 'report' | 'reportError'>> {
  try {
    return { report: await reportOf(workload, chunks), reportError: undefined };
  } catch (error: unknown) {
    return { report: {}, reportError: toError(error) };
  }
}

/** Chunks finish in any order, and a repair may merge them in another one: the report must be the same. */
async function reportOf(workload: Workload, chunks: readonly RanChunk[]): Promise<Record<string, unknown>> {
  const forward = await mergeAll(workload, chunks);
  const backward = await mergeAll(workload, chunks.toReversed());
  const differing = forward.findIndex((line, index) => line !== backward[index]);
  if (differing >= 0) {
    throw new Error(`The report depends on the order of chunks: ${forward[differing]}, or ${backward[differing]}.`);
  }
  const rows = forward.map((line) => JSON.parse(line) as PartialLine);
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** In the cloud, the report folds the results again, and fails like this one as long as the workload is the same. */
async function partialOf(chunk: RanChunk): Promise<PartialLine[]> {
  const lines = (await linesOf(chunk, 'partial')).map((line): PartialLine | FailedFold => JSON.parse(line));
  const failure = failureOf(lines);
  if (failure === undefined) return lines as PartialLine[];
  throw new Error(`The results of a chunk cannot be folded: ${failure}`);
}

async function mergeAll({ name, reduce }: Workload, chunks: readonly RanChunk[]): Promise<string[]> {
  if (reduce === undefined) return [];
  const merge = createMerge({ name, reduce });
  // Read again for each merge, because a merge may change its input.
  for (const chunk of chunks) merge.add(await partialOf(chunk));
  return merge.lines();
}
