import { Piscina } from 'piscina';
import { type BoardNote, readBoard } from '../thread/board.ts';
import type { LogLine, ThreadAnswer, ThreadData, ThreadTask } from '../thread/thread-task.ts';
import { watchBoard } from './watch.ts';

/** How one run ended: with an answer, or with the end of its thread and what the board said then. */
export type ThreadEnd = { answer: ThreadAnswer } | { note: BoardNote; stuck: boolean; error: unknown };

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
  const pool = createPool(options);
  const runs = new Map<ThreadTask, AbortController>();
  pool.on('message', options.onLine);
  pool.on('error', (error) => {
    options.onIdleError(error);
    // A thread that dies while it loads takes no task with it, and the pool would let that task wait for ever.
    for (const [task, stop] of runs) if (readBoard(task.board).sequence === 0) stop.abort(error);
  });
  return {
    run: async (task) => {
      const stop = new AbortController();
      runs.set(task, stop);
      try {
        return await runWatched(pool, task, { stop, clockMs: options.clockMs });
      } finally {
        runs.delete(task);
      }
    },
    close: () => pool.destroy(),
  };
}

/**
 * With Node's default, a thread that fills its heap quickly takes the whole process with it: more moves to the old
 * generation at once than the 16 MB that Node adds so that the thread can end (tried: 64 MB heap, Node 24). Throughput
 * is that of the default; at 8 MB it is two thirds.
 */
const YOUNG_MB = 32;

const createPool = ({
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
  pool: Piscina<ThreadTask, ThreadAnswer>,
  task: ThreadTask,
  { stop, clockMs }: { stop: AbortController; clockMs: () => number },
): Promise<ThreadEnd> {
  let stuck: BoardNote | undefined;
  const unwatch = watchBoard(task.board, clockMs, (note) => {
    stuck = note;
    // Not waited for: Node 24.21 cannot end a loop of certain built-in calls alone (`for (;;) new Array(1000).fill(0)`;
    // Node 22.15 can). Such a thread burns its core until the process ends, but its chunk goes on in another one.
    stop.abort();
  });
  try {
    return { answer: await pool.run(task, { signal: stop.signal }) };
  } catch (error) {
    const cause = stop.signal.aborted && stop.signal.reason instanceof Error ? stop.signal.reason : error;
    return { note: stuck ?? readBoard(task.board), stuck: stuck !== undefined, error: cause };
  } finally {
    unwatch();
  }
}
