import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { endCall } from '../../limits/permits.ts';
import { freeBytes } from '../outcome/free-bytes.ts';
import { countItems, heldOf, readThreadStatus, type ThreadStatus } from '../thread/thread-status.ts';
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

/** A thread that ended without an answer: what it was at, what had become of its items, and the copies it had sent. */
export interface ThreadDeath {
  status: ThreadStatus;
  items: Uint8Array;
  copies: Copy[];
  /** Whether it was ended because it no longer moved. */
  stuck: boolean;
  error: unknown;
}

/** How one run ended. */
export type ThreadEnd = { answer: ThreadAnswer; status: ThreadStatus } | ThreadDeath;

/** The worker threads of one process. */
export interface Threads {
  /** Never rejects. `watch` is given the way to read how far the task is. */
  run(task: ThreadTask, watch?: Watch): Promise<ThreadEnd>;
  close(): Promise<void>;
}

/** What threads are made of. */
export interface ThreadsOptions {
  threadUrl: URL;
  threads: number;
  maxThreadMemoryMb: number | undefined;
  data: ThreadData;
  clockMs: () => number;
  onLine: (line: LogLine) => void;
  onUnhandled: (unhandled: UnhandledError) => void;
  /** An error of a thread that was running nothing. */
  onIdleError: (error: unknown) => void;
}

/** The context of no invocation. */
const outside = AsyncLocalStorage.snapshot();

interface Run {
  task: ThreadTask;
  stop: AbortController;
  copies: Copy[];
  /** Runs a function on behalf of the invocation that this run belongs to: log lines go to it. */
  inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Starts the threads. They stay: a thread that ended is replaced. */
export function createThreads(options: ThreadsOptions): Threads {
  const threadPool = createThreadPool(options);
  const runs = new Map<number, Run>();
  let lastId = 0;
  threadPool.on('message', (message: ThreadMessage) => {
    const run = runs.get(message.task);
    if (message.kind === 'copy') {
      run?.copies.push(message.copy);
      return;
    }
    // The listener's own context is that of the first invocation, which has long ended.
    (run?.inContext ?? outside)(() =>
      message.kind === 'log' ? options.onLine(message) : options.onUnhandled(message),
    );
  });
  // A thread that dies while it loads takes no task with it, and the pool would let that task wait indefinitely.
  const endUnstarted = (error: unknown): void => {
    for (const { task, stop } of runs.values()) {
      if (readThreadStatus(task.statusBuffer).sequence === 0) stop.abort(error);
    }
  };
  threadPool.on('error', (error) => {
    options.onIdleError(error);
    endUnstarted(error);
  });
  threadPool.on('workerDestroy', () =>
    // One that exits by itself raises no error. The pool replaces at once every thread but those that die while they load.
    queueMicrotask(() => {
      const isMissing = threadPool.threads.length < options.threads;
      if (isMissing && threadPool.queueSize > 0) endUnstarted(new Error('A thread exited while it loaded.'));
    }),
  );
  return {
    run: async (given, watch) => {
      lastId += 1;
      const run: Run = {
        task: { ...given, id: lastId },
        stop: new AbortController(),
        copies: [],
        inContext: AsyncLocalStorage.snapshot(),
      };
      runs.set(lastId, run);
      watch?.(() => ({ ...countItems(run.task.statusBuffer), error: run.copies.at(-1)?.error }));
      try {
        return await runWatched(threadPool, run, options.clockMs);
      } finally {
        runs.delete(run.task.id);
      }
    },
    close: () => threadPool.destroy(),
  };
}

/**
 * Two semi-spaces of 8 MiB and as much for what is promoted: the size that `--max-semi-space-size=8` in NODE_OPTIONS gives,
 * as the template and the local stack set it. That option holds for the threads too, and this limit only without it. A
 * larger young generation takes memory that an instance has not. With Node's default, a thread that fills its heap quickly
 * takes the whole process with it: more moves to the old generation at once than the 16 MB that Node adds so that the
 * thread can end (tried: 64 MB heap, Node 24).
 */
const YOUNG_MB = 24;

const createThreadPool = ({
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
    // The faster way blocks an idle thread's event loop, in which a handler's connections would go stale unnoticed.
    atomics: 'disabled',
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      ...(maxThreadMemoryMb === undefined ? {} : { maxOldGenerationSizeMb: maxThreadMemoryMb }),
    },
  });

async function runWatched(
  threadPool: Piscina<ThreadTask, ThreadAnswer>,
  { task, stop, copies }: Run,
  clockMs: () => number,
): Promise<ThreadEnd> {
  let stuck: ThreadStatus | undefined;
  const { statusBuffer, permits } = task;
  const unwatch = watchThread(statusBuffer, clockMs, (status) => {
    stuck = status;
    // Not waited for: Node 24.21 cannot end a loop of certain built-in calls alone (`for (;;) new Array(1000).fill(0)`;
    // Node 22.15 can). Such a thread burns its core until the process ends, but its chunk goes on in another one.
    stop.abort(status.sequence === 0 ? new Error(`A thread did not load within ${START_MS / 1_000} s.`) : undefined);
  });
  try {
    const answer = await threadPool.run(task, { signal: stop.signal });
    // The outcome has all that is in them.
    for (const { bytes } of copies) freeBytes(bytes);
    return { answer, status: readThreadStatus(statusBuffer) };
  } catch (error) {
    const cause = stop.signal.aborted && stop.signal.reason instanceof Error ? stop.signal.reason : error;
    const status = stuck ?? readThreadStatus(statusBuffer);
    const items = Uint8Array.from(statusBuffer.items);
    await received(copies, status.copies);
    // The calls of a dead thread hold nothing any more.
    if (permits) endCall(permits, heldOf(statusBuffer));
    return { status, items, copies: [...copies], stuck: stuck !== undefined, error: cause };
  } finally {
    unwatch();
  }
}

const COPY_WAIT_MS = 5;
const MAX_COPY_WAITS = 200;

/** What a thread had sent before its death comes by another way than the news of its death. */
async function received(copies: readonly Copy[], sent: number): Promise<void> {
  for (let waits = 0; copies.length < sent && waits < MAX_COPY_WAITS; waits += 1) await sleep(COPY_WAIT_MS);
}
