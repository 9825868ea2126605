/**
 * The chunks that run in this process, over all slices: the one place in which they are watched, from which their progress
 * is recorded, and from which they are stopped, because their batch was cancelled or because the process is about to end.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type BatchAndProgress, type RunningProgress, sumRunning } from '../batches/progress/progress-rows.ts';
import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { isUnderWay } from './batch-states.ts';
import type { ChunkProgress, Stop } from './thread/thread-status.ts';
import type { Watch } from './thread/thread-task.ts';

/**
 * A chunk that has run for this long has its batch looked at and its progress written, and again each time this long has
 * passed: two table operations at once per batch and process, however many of its chunks run. Shorter chunks cost none.
 */
const LOOK_MS = 10_000;
/** How often within that time the chunks are looked through for one that is due; this costs no operation. */
const TICKS = 10;

export interface RunningChunks {
  /** Runs a chunk of `batch`, with the signal that stops it, and with what takes the way to read its progress. */
  run: <T>(batch: string, run: (stop: AbortSignal, watch: Watch) => Promise<T>) => Promise<T>;
  /** How often a batch was found that is not under way any more: cancelled, or paused. */
  changesSeen: () => number;
}

export interface RunningChunksDeps {
  /** Reads a batch past every cache; undefined: there is none. */
  readBatch: (batch: string) => Promise<BatchAndProgress | undefined>;
  /** Publishes that a batch is likely to miss its deadline, if it is. */
  warnOfRisk: (batch: BatchAndProgress) => Promise<void>;
  /** Writes how far the running chunks of a batch are; undefined: removes what was written. */
  writeProgress: (batch: string, progress: RunningProgress | undefined) => Promise<void>;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
  /** Aborted when this process is about to end: its chunks go to another one. */
  ending: AbortSignal;
  /** Default 10 s. */
  lookMs?: number | undefined;
}

interface RunningChunk {
  startMs: number;
  stop: AbortController;
  /** Runs a function in the context of the chunk's round, to whose operations a look is counted. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  /** Undefined until a thread takes the chunk. */
  read?: () => ChunkProgress;
}

/** The running chunks of one batch. */
interface RunningBatch {
  chunks: Set<RunningChunk>;
  lookedMs: number;
  /** Whether a chunk has ended since then that had run for long: others like it may have followed. */
  hasLongEnded: boolean;
  /** Whether this process has a row of progress, which is to be written again or removed. */
  hasRow: boolean;
}

/** The context of no round. */
const outside = AsyncLocalStorage.snapshot();

/** Makes the set of a process. Its timer runs only while a chunk does, or until its row of progress is removed. */
export function createRunningChunks(deps: RunningChunksDeps): RunningChunks {
  const { readBatch, warnOfRisk, writeProgress, nowMs, ending, lookMs = LOOK_MS } = deps;
  const batches = new Map<string, RunningBatch>();
  let timer: NodeJS.Timeout | undefined;
  let changesSeen = 0;

  const stopAll = (id: string, { chunks }: RunningBatch, reason: Stop): void => {
    for (const { stop } of chunks) stop.abort(reason);
    log.info('chunks-stopped', { batch: id, chunks: chunks.size, reason });
  };
  const look = async (id: string, batch: RunningBatch): Promise<void> => {
    try {
      const found = await readBatch(id);
      const state = found?.row.state;
      if (found && isUnderWay(state)) return await warnOfRisk(found);
      changesSeen += 1;
      // What runs when its batch is paused comes to its end.
      if (state !== 'paused') stopAll(id, batch, 'cancelled');
    } catch (error) {
      log.warn('batch-not-read', { batch: id, error: toError(error) });
    }
  };
  const record = async (id: string, progress: RunningProgress | undefined): Promise<void> => {
    try {
      await writeProgress(id, progress);
    } catch (error) {
      log.warn('progress-not-written', { batch: id, error: toError(error) });
    }
  };
  const tick = (): void => {
    for (const [id, batch] of batches) {
      if (nowMs() - batch.lookedMs < lookMs) continue;
      // In insertion order, so the first one has run the longest.
      const [oldest] = batch.chunks;
      const isDue = oldest !== undefined && (batch.hasLongEnded || isLong(oldest));
      if (isDue) {
        batch.lookedMs = nowMs();
        batch.hasLongEnded = false;
        void oldest.inContext(() => look(id, batch));
      }
      const progress = isDue ? sumProgress(batch.chunks) : undefined;
      if (progress !== undefined || batch.hasRow) void (oldest?.inContext ?? outside)(() => record(id, progress));
      batch.hasRow = progress !== undefined;
      forgetIfOver(id, batch);
    }
  };
  const isLong = ({ startMs }: RunningChunk): boolean => nowMs() - startMs >= lookMs;
  /** A batch whose last chunk has ended is kept until the progress that was written is removed. */
  const forgetIfOver = (id: string, batch: RunningBatch): void => {
    if (batch.chunks.size === 0 && (!batch.hasRow || ending.aborted)) batches.delete(id);
    if (batches.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const enter = (id: string, chunk: RunningChunk): RunningBatch => {
    const batch = batches.get(id) ?? {
      chunks: new Set(),
      lookedMs: Number.NEGATIVE_INFINITY,
      hasLongEnded: false,
      hasRow: false,
    };
    batches.set(id, batch);
    batch.chunks.add(chunk);
    timer ??= setInterval(tick, lookMs / TICKS).unref();
    return batch;
  };
  ending.addEventListener('abort', () => {
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
      if (ending.aborted) stop.abort('returned' satisfies Stop);
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

/**
 * Sums the progress of the chunks that have a thread, those of less than ten seconds, too; undefined while there is
 * none.
 */
function sumProgress(chunks: Iterable<RunningChunk>): RunningProgress | undefined {
  const all = [...chunks].flatMap(({ read }) => (read === undefined ? [] : [{ chunks: 1, ...read() }]));
  // The latest chunk is the last one: its error is shown.
  return all.length === 0 ? undefined : sumRunning(all.reverse());
}
