/** The chunks that run in this process: watches them, records their progress, and stops those of cancelled batches. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type BatchAndProgress, type RunningProgress, sumRunning } from '../batches/progress/progress-rows.ts';
import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { isUnderWay } from './batch-states.ts';
import type { ChunkProgress, Stop } from './thread/thread-status.ts';
import type { Watch } from './thread/thread-task.ts';

/**
 * After a chunk has run for this long, its batch is read and its progress is written, and again at this interval. These
 * are two table operations per interval for each batch and process, for any number of chunks. Shorter chunks cost none.
 */
const CHECK_INTERVAL_MS = 10_000;
/** Number of checks per interval for a chunk that is due; a check costs no operation. */
const CHECKS_PER_INTERVAL = 10;

export interface RunningChunks {
  /** Runs a chunk of `batch`, with the signal that stops it, and with a function that accepts the reader of its progress. */
  run: <T>(batch: string, run: (stop: AbortSignal, watch: Watch) => Promise<T>) => Promise<T>;
  /** How often a batch was found that is no longer under way, for example cancelled or paused. */
  changesSeen: () => number;
}

export interface RunningChunksDeps {
  /** Reads a batch without any cache; undefined if it does not exist. */
  readBatch: (batch: string) => Promise<BatchAndProgress | undefined>;
  /** Publishes a warning if a batch is likely to miss its deadline. */
  warnOfRisk: (batch: BatchAndProgress) => Promise<void>;
  /** Writes the progress of the running chunks of a batch; undefined removes what was written. */
  writeProgress: (batch: string, progress: RunningProgress | undefined) => Promise<void>;
  nowMs: () => number;
  /** Aborted when this process is about to end: another process then runs its chunks. */
  stopping: AbortSignal;
  /** Defaults to 10 s. */
  checkIntervalMs?: number | undefined;
}

interface RunningChunk {
  startMs: number;
  stop: AbortController;
  /** Runs a function in the context of the chunk's round, so that its operations are counted for that round. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  /** Undefined until a thread starts the chunk. */
  read?: () => ChunkProgress;
}

interface RunningBatch {
  chunks: Set<RunningChunk>;
  checkedMs: number;
  /** Whether a chunk that ran for long has ended since then: similar ones may have followed it. */
  hasLongEnded: boolean;
  /** Whether this process has written a row of progress, which must be updated or removed. */
  hasRow: boolean;
}

/** Runs a function outside of any round. */
const outside = AsyncLocalStorage.snapshot();

/** Creates the set of a process. Its timer runs only while a chunk runs, or until its row of progress is removed. */
export function createRunningChunks(deps: RunningChunksDeps): RunningChunks {
  const { readBatch, warnOfRisk, writeProgress, nowMs, stopping, checkIntervalMs = CHECK_INTERVAL_MS } = deps;
  const batches = new Map<string, RunningBatch>();
  let timer: NodeJS.Timeout | undefined;
  let changesSeen = 0;

  const stopAll = (id: string, { chunks }: RunningBatch, reason: Stop): void => {
    for (const { stop } of chunks) stop.abort(reason);
    log.info('chunks-stopped', { batch: id, chunks: chunks.size, reason });
  };
  const checkBatch = async (id: string, batch: RunningBatch): Promise<void> => {
    const found = await readBatch(id);
    const state = found?.row.state;
    if (found && isUnderWay(state)) return warnOfRisk(found);
    changesSeen += 1;
    // Chunks that run when their batch is paused run to their end.
    if (state !== 'paused') stopAll(id, batch, 'cancelled');
  };
  const check = (): void => {
    for (const [id, batch] of batches) {
      if (nowMs() - batch.checkedMs < checkIntervalMs) continue;
      // In insertion order, so the first one has run the longest.
      const [oldest] = batch.chunks;
      const isDue = oldest !== undefined && (batch.hasLongEnded || isLong(oldest));
      if (isDue) {
        batch.checkedMs = nowMs();
        batch.hasLongEnded = false;
        const onError = (error: unknown): void => log.warn('batch-not-read', { batch: id, error: toError(error) });
        void oldest.inContext(() => checkBatch(id, batch).catch(onError));
      }
      const progress = isDue ? sumProgress(batch.chunks) : undefined;
      if (progress !== undefined || batch.hasRow) {
        const onError = (error: unknown): void =>
          log.warn('progress-not-written', { batch: id, error: toError(error) });
        void (oldest?.inContext ?? outside)(() => writeProgress(id, progress).catch(onError));
      }
      batch.hasRow = progress !== undefined;
      forgetIfOver(id, batch);
    }
  };
  const isLong = ({ startMs }: RunningChunk): boolean => nowMs() - startMs >= checkIntervalMs;
  /** Forgets a batch without running chunks, but not before its row of progress is removed. */
  const forgetIfOver = (id: string, batch: RunningBatch): void => {
    if (batch.chunks.size === 0 && (!batch.hasRow || stopping.aborted)) batches.delete(id);
    if (batches.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const enter = (id: string, chunk: RunningChunk): RunningBatch => {
    const batch = batches.get(id) ?? {
      chunks: new Set(),
      checkedMs: Number.NEGATIVE_INFINITY,
      hasLongEnded: false,
      hasRow: false,
    };
    batches.set(id, batch);
    batch.chunks.add(chunk);
    timer ??= setInterval(check, checkIntervalMs / CHECKS_PER_INTERVAL).unref();
    return batch;
  };
  stopping.addEventListener('abort', () => {
    for (const [id, batch] of batches) {
      if (batch.chunks.size > 0) stopAll(id, batch, 'returned');
      forgetIfOver(id, batch);
    }
  });

  return {
    changesSeen: () => changesSeen,
    run: async (id, run) => {
      const stop = new AbortController();
      const chunk: RunningChunk = { startMs: nowMs(), stop, inContext: AsyncLocalStorage.snapshot() };
      if (stopping.aborted) stop.abort('returned' satisfies Stop);
      const batch = enter(id, chunk);
      try {
        return await run(chunk.stop.signal, (read) => {
          chunk.read = read;
        });
      } finally {
        batch.chunks.delete(chunk);
        batch.hasLongEnded ||= isLong(chunk);
        forgetIfOver(id, batch);
      }
    },
  };
}

/** Sums the progress of all chunks that have a thread, including those of less than ten seconds; undefined if there is none. */
function sumProgress(chunks: Iterable<RunningChunk>): RunningProgress | undefined {
  const all = [...chunks].flatMap(({ read }) => (read === undefined ? [] : [{ chunks: 1, ...read() }]));
  // The latest chunk is the last one: its error is shown.
  return all.length === 0 ? undefined : sumRunning(all.reverse());
}
