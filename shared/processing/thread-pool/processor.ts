import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Settings } from '../../settings.ts';
import { createSlots } from '../../slots.ts';
import { type ErrorText, errorLine, toErrorText } from '../outcome/error-text.ts';
import type { ChunkJob, ChunkOutcome, LogLine, UnhandledError } from '../thread/thread-task.ts';
import { NotBegunError } from './errors.ts';
import { processChunk } from './process-chunk.ts';
import { createStartGuard } from './start-guard.ts';
import { createThreads, type Threads, type ThreadsOptions } from './threads.ts';

export type { ChunkJob, ChunkOutcome } from '../thread/thread-task.ts';

/** Where a log line comes from; all absent for a thread that was running nothing. */
export interface LogFields {
  batch?: string;
  chunk?: string;
  position?: number;
}

/** What a processor is made of. */
export interface ProcessorOptions {
  /** The file whose default export is `serve(registry)`, as it is loaded at run time: `.ts` or built `.js`. */
  threadUrl: URL;
  /** Default: one per core. */
  threads?: number;
  /** Limit of a thread's JavaScript heap (buffers lie outside of it); default Node's own. */
  maxThreadMemoryMb?: number;
  /** No item of a chunk is begun after this long; the rest goes to the retries chunk, uncharged. Default 240. */
  maxChunkSeconds?: number;
  /** Lets handlers get at the containers that their workload declares; absent: they have no storage. */
  settings?: Settings;
  /** What else the threads' file finds in its `workerData`. */
  threadData?: object;
  log: (message: string, fields: LogFields) => void;
  /** Gets errors that no handler awaited; default: they are logged. */
  onUnhandled?: (unhandled: Pick<UnhandledError, 'error' | 'wasInFlight'>) => void;
  /** A clock in milliseconds for durations; default the monotonic one. */
  now?: () => number;
}

/** Runs chunks in worker threads. */
export interface Processor {
  /**
   * Makes a chunk's outcome; waits while all threads are taken. Whatever a handler does is in the outcome.
   * @throws NotBegunError when it was to be returned before a thread was free; ProcessorClosedError after `close`;
   * ThreadStartError when the threads' file cannot be run at all.
   */
  process(job: ChunkJob): Promise<ChunkOutcome>;
  /** Starts the threads now, where the first chunk is known to come soon. */
  start(): void;
  /** Ends all threads at once; chunks under way are rejected. */
  close(): Promise<void>;
  readonly threads: number;
  /** Threads that run nothing. */
  readonly idleThreads: number;
  /** Chunks that wait for a thread. */
  readonly queued: number;
}

/** Below the ten minutes of a function's timeout, with room for an item that was begun last and takes its time. */
const MAX_CHUNK_SECONDS = 240;

/** Makes a processor. Its threads start with the first chunk or `start`, not before: an instance may never get one. */
export function createProcessor(options: ProcessorOptions): Processor {
  const threads = options.threads ?? availableParallelism();
  const slots = createSlots(threads);
  let threadPool: Threads | undefined;
  let closed = false;
  const clockMs = options.now ?? (() => performance.now());
  const opened = (): Threads => {
    threadPool ??= createThreads(threadsOptions(options, { threads, clockMs }));
    return threadPool;
  };
  const guarded = createStartGuard(clockMs);
  const runTools = {
    run: (...run: Parameters<Threads['run']>) => opened().run(...run),
    clockMs,
    budgetMs: (options.maxChunkSeconds ?? MAX_CHUNK_SECONDS) * 1_000,
    isClosed: () => closed,
  };
  return {
    process: (job) => {
      const calledMs = clockMs();
      const run = async () => {
        if (job.stop?.reason === 'returned') throw new NotBegunError('The process is being stopped.');
        // The service's time has gone on while the chunk waited for a thread.
        const nowMs = job.nowMs + clockMs() - calledMs;
        return processChunk({ ...job, nowMs }, { ...runTools, onDropped: dropNotice(options, job) });
      };
      return slots.run(() => guarded(job.reference.workload, run));
    },
    start: () => void (closed || opened()),
    close: async () => {
      closed = true;
      await threadPool?.close();
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

function threadsOptions(
  options: ProcessorOptions,
  { threads, clockMs }: { threads: number; clockMs: () => number },
): ThreadsOptions {
  const { threadUrl, maxThreadMemoryMb, settings, threadData, log } = options;
  return {
    threadUrl,
    threads,
    maxThreadMemoryMb,
    data: { ...threadData, ...(settings === undefined ? {} : { settings }) },
    clockMs,
    onLine: ({ message, batch, chunk, position }: LogLine) => log(message, { batch, chunk, position }),
    onUnhandled:
      options.onUnhandled ?? (({ error, wasInFlight }: UnhandledError) => log(unhandledText(error, wasInFlight), {})),
    onIdleError: (error: unknown) => log(`An idle thread ended: ${toErrorText(error).message}`, {}),
  };
}

const unhandledText = (error: ErrorText, wasInFlight: boolean): string =>
  `An error that no handler awaited (${wasInFlight ? 'from a call in flight' : 'charged to no item'}): ${errorLine(error)}`;

const dropNotice =
  ({ log }: ProcessorOptions, { reference: { batch, chunk } }: ChunkJob) =>
  (lines: number): void =>
    log(`${lines} more log lines of this chunk were dropped.`, { batch, chunk });
