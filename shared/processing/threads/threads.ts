import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { endRun, type Permits, permitsOfRun } from '../../limits/permits.ts';
import { freeBytes } from '../free-bytes.ts';
import { toErrorText } from '../outcome/error-text.ts';
import { countItems, readThreadStatus, type ThreadStatus } from '../thread/thread-status.ts';
import type {
  Copy,
  LogLine,
  ThreadAnswer,
  ThreadData,
  ThreadMessage,
  ThreadTask,
  UnhandledError,
  Watch,
} from '../thread/thread-task.ts';
import { START_MS, watchThread } from './watch.ts';

/** A thread that ended without an answer: its status, the states of its items, and the copies it had sent. */
export interface ThreadDeath {
  status: ThreadStatus;
  items: Uint8Array;
  copies: Copy[];
  /** Whether it was ended because it was stuck. */
  stuck: boolean;
  error: unknown;
}

export type TaskResult = { answer: ThreadAnswer; status: ThreadStatus } | ThreadDeath;

export interface Threads {
  /** Never rejects. `watch` receives the reader of the task's progress. */
  run(task: ThreadTask, watch?: Watch): Promise<TaskResult>;
  close(): Promise<void>;
}

export interface ThreadsOptions {
  /** The file whose default export is `serve(registry)`, as it is loaded at run time: `.ts` or built `.js`. */
  threadUrl: URL;
  threads: number;
  /** Limit of a thread's JavaScript heap, which does not contain buffers. Defaults to Node's own limit. */
  maxThreadMemoryMb?: number;
  data: ThreadData;
  clockMs: () => number;
  /** Receives the log lines of handlers with their origin, which is empty for an idle thread. */
  log: (message: string, fields: Partial<Pick<LogLine, 'batch' | 'chunk' | 'position'>>) => void;
  onUnhandled: (unhandled: Pick<UnhandledError, 'error' | 'wasInFlight'>) => void;
}

/** Runs a function outside of any invocation. */
const outside = AsyncLocalStorage.snapshot();

interface Run {
  task: ThreadTask;
  stop: AbortController;
  copies: Copy[];
  /** Runs a function in the context of the run's invocation, so that log lines belong to it. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Starts the threads. A thread that ended is replaced. */
export function createThreads(options: ThreadsOptions): Threads {
  const piscina = createPiscina(options);
  const runs = new Map<number, Run>();
  let lastId = 0;
  piscina.on('message', (message: ThreadMessage) => {
    const run = runs.get(message.task);
    if (message.kind === 'copy') {
      run?.copies.push(message.copy);
      return;
    }
    // The listener's own context is that of the first invocation, which ended long ago.
    (run?.inContext ?? outside)(() => {
      if (message.kind === 'unhandled') return options.onUnhandled(message);
      const { batch, chunk, position } = message;
      options.log(message.message, { batch, chunk, position });
    });
  });
  // If a thread dies while it loads, Piscina does not reject its task, and would let it wait indefinitely.
  const endUnstarted = (error: unknown): void => {
    for (const { task, stop } of runs.values()) {
      if (readThreadStatus(task.statusBuffer).sequence === 0) stop.abort(error);
    }
  };
  piscina.on('error', (error) => {
    options.log(`An idle thread ended: ${toErrorText(error).message}`, {});
    endUnstarted(error);
  });
  piscina.on('workerDestroy', () =>
    // A thread that exits by itself raises no error. Piscina replaces every thread immediately, except one that dies
    // while it loads.
    queueMicrotask(() => {
      const isMissing = piscina.threads.length < options.threads;
      if (isMissing && piscina.queueSize > 0) endUnstarted(new Error('A thread exited while it loaded.'));
    }),
  );
  return {
    run: async (given, watch) => {
      lastId += 1;
      const run: Run = {
        task: { ...given, id: lastId, permits: given.permits && withFreeNumber(given.permits, runs) },
        stop: new AbortController(),
        copies: [],
        inContext: AsyncLocalStorage.snapshot(),
      };
      runs.set(lastId, run);
      watch?.(() => ({ ...countItems(run.task.statusBuffer), error: run.copies.at(-1)?.error }));
      try {
        return await runWatched(piscina, run, options.clockMs);
      } finally {
        runs.delete(run.task.id);
      }
    },
    close: () => piscina.destroy(),
  };
}

function withFreeNumber(permits: Permits, runs: ReadonlyMap<number, Run>): Permits {
  const used = new Set([...runs.values()].map(({ task }) => task.permits?.run));
  let run = 0;
  while (used.has(run)) run += 1;
  return permitsOfRun(permits, run);
}

/**
 * Two semi-spaces of 8 MiB and the same for promoted objects: the size that `--max-semi-space-size=8` in NODE_OPTIONS
 * gives, as the template and the local stack set it. That option applies to threads, too, and this limit only without it.
 * A larger young generation needs memory that an instance does not have. With Node's default, a thread that fills its
 * heap quickly terminates the whole process: it moves more to the old generation at the same time than the 16 MB that
 * Node adds so that the thread can end (tested: 64 MB heap, Node 24).
 */
const YOUNG_MB = 24;

const createPiscina = ({
  threadUrl,
  threads,
  maxThreadMemoryMb,
  data,
}: ThreadsOptions): Piscina<ThreadTask, ThreadAnswer> =>
  new Piscina({
    filename: threadUrl.href,
    workerData: data,
    minThreads: threads,
    maxThreads: threads,
    // The faster way blocks an idle thread's event loop, in which a handler's connections would become stale unnoticed.
    atomics: 'disabled',
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      ...(maxThreadMemoryMb === undefined ? {} : { maxOldGenerationSizeMb: maxThreadMemoryMb }),
    },
  });

async function runWatched(
  piscina: Piscina<ThreadTask, ThreadAnswer>,
  { task, stop, copies }: Run,
  clockMs: () => number,
): Promise<TaskResult> {
  let stuck: ThreadStatus | undefined;
  const { statusBuffer, permits } = task;
  const unwatch = watchThread(statusBuffer, clockMs, (status) => {
    stuck = status;
    // Not awaited: Node 24.21 cannot end a loop of certain built-in calls alone (`for (;;) new Array(1000).fill(0)`; Node
    // 22.15 can). Such a thread uses its core until the process ends, but its chunk continues in another one.
    stop.abort(status.sequence === 0 ? new Error(`A thread did not load within ${START_MS / 1_000} s.`) : undefined);
  });
  try {
    const answer = await piscina.run(task, { signal: stop.signal });
    // The outcome contains everything that is in them.
    for (const { bytes } of copies) freeBytes(bytes);
    return { answer, status: readThreadStatus(statusBuffer) };
  } catch (error) {
    const cause = stop.signal.aborted && stop.signal.reason instanceof Error ? stop.signal.reason : error;
    const status = stuck ?? readThreadStatus(statusBuffer);
    const items = Uint8Array.from(statusBuffer.items);
    await received(copies, status.copies);
    // The calls of a dead thread no longer hold permits.
    if (permits) endRun(permits);
    return { status, items, copies: [...copies], stuck: stuck !== undefined, error: cause };
  } finally {
    unwatch();
  }
}

const COPY_WAIT_MS = 5;
const MAX_COPY_WAITS = 200;

/** Waits for the copies that a thread sent before its death: they arrive on another channel than the event of its death. */
async function received(copies: readonly Copy[], sent: number): Promise<void> {
  for (let waits = 0; copies.length < sent && waits < MAX_COPY_WAITS; waits += 1) await sleep(COPY_WAIT_MS);
}
