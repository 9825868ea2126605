import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Settings } from '../../settings.ts';
import { createSlots, NoSlotError } from '../../slots.ts';
import type { ChunkOutcome } from '../outcome/encode/encode-outcome.ts';
import { errorLine } from '../outcome/error-text.ts';
import type { ChunkJob, UnhandledError } from '../thread/thread-task.ts';
import { NotBegunError, ThreadStartError } from './errors.ts';
import { processChunk } from './process-chunk.ts';
import { createThreads, type Threads, type ThreadsOptions } from './threads.ts';

export interface ProcessorOptions extends Pick<ThreadsOptions, 'threadUrl' | 'maxThreadMemoryMb' | 'log'> {
  /** Defaults to one per core. */
  threads?: number;
  /** No item of a chunk begins after this time; the rest goes to the retry chunk, uncharged. Defaults to 240. */
  maxChunkSeconds?: number;
  /** Gives handlers access to the containers that their workload declares. If absent, they have no storage. */
  settings?: Settings;
  /** Further fields of the threads' `workerData`. */
  threadData?: object;
  /** Receives errors that no handler awaited. By default, they are logged. */
  onUnhandled?: ThreadsOptions['onUnhandled'];
  /** A clock in milliseconds for durations. Defaults to the monotonic one. */
  now?: () => number;
}

export interface Processor {
  /**
   * Creates a chunk's outcome; waits while all threads are busy. Errors of a handler are part of the outcome.
   * @throws NotBegunError if it was returned or its time was over before a thread was free; ProcessorClosedError after
   * `close`; ThreadStartError if the threads' file cannot run at all.
   */
  process(job: ChunkJob): Promise<ChunkOutcome>;
  /** Starts the threads now, if the first chunk is known to come soon. */
  start(): void;
  /** Ends all threads immediately; running chunks are rejected. */
  close(): Promise<void>;
  readonly threads: number;
  readonly idleThreads: number;
  readonly queued: number;
}

/** A wave ends with its slowest chunk: items that have not begun by then continue in another chunk of the next wave. */
const MAX_CHUNK_SECONDS = 240;

/** Creates a processor. Its threads start with the first chunk or `start`, because an instance may never get a chunk. */
export function createProcessor(options: ProcessorOptions): Processor {
  const { threads = availableParallelism(), maxChunkSeconds = MAX_CHUNK_SECONDS, settings, threadData, log } = options;
  const slots = createSlots(threads);
  let started: Threads | undefined;
  let closed = false;
  const clockMs = options.now ?? (() => performance.now());
  const opened = (): Threads => {
    const data = { ...threadData, ...(settings && { settings }) };
    const onUnhandled = options.onUnhandled ?? ((unhandled) => log(unhandledText(unhandled), {}));
    started ??= createThreads({ ...options, threads, data, clockMs, onUnhandled });
    return started;
  };
  const guarded = createStartGuard(clockMs);
  const runTools = {
    run: (...run: Parameters<Threads['run']>) => opened().run(...run),
    clockMs,
    budgetMs: maxChunkSeconds * 1_000,
    isClosed: () => closed,
  };
  return {
    process: (job) => {
      const calledMs = clockMs();
      const run = async () => {
        if (job.stop?.reason === 'returned') throw new NotBegunError('The process is being stopped.');
        // Service time has passed while the chunk waited for a thread.
        const nowMs = job.nowMs + clockMs() - calledMs;
        return processChunk({ ...job, nowMs }, runTools);
      };
      return slots
        .run(() => guarded(job.reference.workload, run), { maxWaitMs: job.waitMs })
        .catch((cause: unknown) => {
          throw cause instanceof NoSlotError ? new NotBegunError('All threads were busy.', { cause }) : cause;
        });
    },
    start: () => void (closed || opened()),
    close: async () => {
      closed = true;
      await started?.close();
    },
    threads,
    get idleThreads() {
      return slots.idle;
    },
    get queued() {
      return slots.waiting;
    },
  };
}

const unhandledText = ({ error, wasInFlight }: Pick<UnhandledError, 'error' | 'wasInFlight'>): string =>
  `An error that no handler awaited (${wasInFlight ? 'from a call in flight' : 'charged to no item'}): ${errorLine(error)}`;

/** How long chunks of a workload are refused after its threads failed to start: each start loads the whole app. */
const REFUSE_MS = 5_000;

/**
 * Creates the guard of one process. It runs a chunk of `workload`, or if threads have just failed to start for one, rejects
 * with that error instead. `clockMs` is a clock for durations.
 */
export function createStartGuard(clockMs: () => number) {
  const failures = new Map<string, { error: ThreadStartError; untilMs: number }>();
  return async <T>(workload: string, run: () => Promise<T>): Promise<T> => {
    const failure = failures.get(workload);
    if (failure !== undefined && clockMs() < failure.untilMs) throw failure.error;
    try {
      return await run();
    } catch (error) {
      if (error instanceof ThreadStartError) failures.set(workload, { error, untilMs: clockMs() + REFUSE_MS });
      throw error;
    }
  };
}
