/**
 * The chunks that run in this process, over all slices: the one place in which they are watched, and from which they are
 * stopped, because their batch was cancelled or because the process is about to end.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { isUnderWay, type ReadBatchFacts } from './batch-states.ts';
import type { Stop } from './thread/thread-status.ts';

/**
 * A chunk that has run for this long has its batch looked at, and again each time this long has passed: one table
 * operation per batch and process, however many of its chunks run. Shorter chunks cost none.
 */
const LOOK_MS = 10_000;
/** How often the chunks are looked through for one that is due; this costs no operation. */
const TICK_MS = 1_000;

export interface RunningChunks {
  /** Runs a chunk of `batch`, with the signal that stops it. */
  run: <T>(batch: string, run: (stop: AbortSignal) => Promise<T>) => Promise<T>;
  /** How often a batch was found that is not under way any more: cancelled, or paused. */
  changesSeen: () => number;
}

export interface RunningChunksDeps {
  /** Reads a batch past every cache. */
  readBatch: ReadBatchFacts;
  /** A monotonic clock in milliseconds. */
  nowMs: () => number;
  /** Aborted when this process is about to end: its chunks go to another one. */
  ending: AbortSignal;
}

interface RunningChunk {
  startMs: number;
  stop: AbortController;
  /** Runs a function in the context of the chunk's round, to whose operations a look is counted. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** The running chunks of one batch. */
interface RunningBatch {
  chunks: Set<RunningChunk>;
  lookedMs: number;
}

/** Makes the set of a process. Its timer runs only while a chunk does. */
export function createRunningChunks({ readBatch, nowMs, ending }: RunningChunksDeps): RunningChunks {
  const batches = new Map<string, RunningBatch>();
  let timer: NodeJS.Timeout | undefined;
  let changesSeen = 0;

  const stopAll = (id: string, { chunks }: RunningBatch, reason: Stop): void => {
    for (const { stop } of chunks) stop.abort(reason);
    log.info('chunks-stopped', { batch: id, chunks: chunks.size, reason });
  };
  const look = async (id: string, batch: RunningBatch): Promise<void> => {
    try {
      const state = (await readBatch(id))?.state;
      if (isUnderWay(state)) return;
      changesSeen += 1;
      // What runs when its batch is paused comes to its end.
      if (state !== 'paused') stopAll(id, batch, 'cancelled');
    } catch (error) {
      log.warn('batch-not-read', { batch: id, error: toError(error) });
    }
  };
  const tick = (): void => {
    for (const [id, batch] of batches) {
      // In insertion order, so the first one has run the longest.
      const [oldest] = batch.chunks;
      if (!oldest || nowMs() - Math.max(oldest.startMs, batch.lookedMs) < LOOK_MS) continue;
      batch.lookedMs = nowMs();
      void oldest.inContext(() => look(id, batch));
    }
  };
  const enter = (id: string, chunk: RunningChunk): RunningBatch => {
    const batch = batches.get(id) ?? { chunks: new Set(), lookedMs: Number.NEGATIVE_INFINITY };
    batches.set(id, batch);
    batch.chunks.add(chunk);
    timer ??= setInterval(tick, TICK_MS).unref();
    return batch;
  };
  const leave = (id: string, batch: RunningBatch, chunk: RunningChunk): void => {
    batch.chunks.delete(chunk);
    if (batch.chunks.size === 0) batches.delete(id);
    if (batches.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  ending.addEventListener('abort', () => {
    for (const [id, batch] of batches) stopAll(id, batch, 'returned');
  });

  return {
    changesSeen: () => changesSeen,
    run: async (id, run) => {
      const chunk = { startMs: nowMs(), stop: new AbortController(), inContext: AsyncLocalStorage.snapshot() };
      if (ending.aborted) chunk.stop.abort('returned' satisfies Stop);
      const batch = enter(id, chunk);
      try {
        return await run(chunk.stop.signal);
      } finally {
        leave(id, batch, chunk);
      }
    },
  };
}
