import { Piscina } from 'piscina';
import { readThreadStatus, type ThreadStatus } from '../thread/thread-status.ts';
import type { LogLine, ThreadAnswer, ThreadData, ThreadTask } from '../thread/thread-task.ts';
import { START_MS, watchThread } from './watch.ts';

/** How one run ended: with an answer, or with the end of its thread and the status at that moment. */
export type ThreadEnd = { answer: ThreadAnswer } | { status: ThreadStatus; stuck: boolean; error: unknown };

/** The worker threads of one process. */
export interface Threads {
  /** Never rejects. */
  run(task: ThreadTask): Promise<ThreadEnd>;
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
  /** An error of a thread that was running nothing. */
  onIdleError: (error: unknown) => void;
}

/** Starts the threads. They stay: a thread that ended is replaced. */
export function createThreads(options: ThreadsOptions): Threads {
  const threadPool = createThreadPool(options);
  const runs = new Map<ThreadTask, AbortController>();
  threadPool.on('message', options.onLine);
  // A thread that dies while it loads takes no task with it, and the pool would let that task wait for ever.
  const endUnstarted = (error: unknown): void => {
    for (const [task, stop] of runs) if (readThreadStatus(task.statusBuffer).sequence === 0) stop.abort(error);
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
    run: async (task) => {
      const stop = new AbortController();
      runs.set(task, stop);
      try {
        return await runWatched(threadPool, task, { stop, clockMs: options.clockMs });
      } finally {
        runs.delete(task);
      }
    },
    close: () => threadPool.destroy(),
  };
}

/**
 * With Node's default, a thread that fills its heap quickly takes the whole process with it: more moves to the old
 * generation at once than the 16 MB that Node adds so that the thread can end (tried: 64 MB heap, Node 24). Throughput
 * is that of the default; at 8 MB it is two thirds.
 */
const YOUNG_MB = 32;

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
  task: ThreadTask,
  { stop, clockMs }: { stop: AbortController; clockMs: () => number },
): Promise<ThreadEnd> {
  let stuck: ThreadStatus | undefined;
  const unwatch = watchThread(task.statusBuffer, clockMs, (status) => {
    stuck = status;
    // Not waited for: Node 24.21 cannot end a loop of certain built-in calls alone (`for (;;) new Array(1000).fill(0)`;
    // Node 22.15 can). Such a thread burns its core until the process ends, but its chunk goes on in another one.
    stop.abort(status.sequence === 0 ? new Error(`A thread did not load within ${START_MS / 1_000} s.`) : undefined);
  });
  try {
    return { answer: await threadPool.run(task, { signal: stop.signal }) };
  } catch (error) {
    const cause = stop.signal.aborted && stop.signal.reason instanceof Error ? stop.signal.reason : error;
    return { status: stuck ?? readThreadStatus(task.statusBuffer), stuck: stuck !== undefined, error: cause };
  } finally {
    unwatch();
  }
}
