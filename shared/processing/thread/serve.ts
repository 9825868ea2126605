/** What the file of a worker thread imports as `sluice/thread`: its default export is `serve(registry)`. */
import { isMainThread, parentPort } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { asInvocation, spentSoFar } from '../../cost/account.ts';
import { processClockMs } from '../../limits/process-clock.ts';
import type { Registry } from '../../workload/registry.ts';
import type { ChunkOutcome } from '../outcome/encode/encode-outcome.ts';
import { MAX_MESSAGE_CHARS, toErrorText } from '../outcome/error-text.ts';
import { takeUnhandledErrors } from './calls/flight.ts';
import type { LogSink } from './calls/item-context.ts';
import { runChunk } from './run-chunk.ts';
import { createThreadContainers } from './thread-containers.ts';
import { setUsed } from './thread-status.ts';
import type { Copy, ThreadAnswer, ThreadData, ThreadMessage, ThreadTask } from './thread-task.ts';

/** Maximum number of log lines per run of a chunk; further ones are only counted. */
const MAX_LOG_LINES = 100;
/** Maximum number of unhandled errors that are logged per chunk: each costs the main thread a log line. */
const MAX_UNHANDLED = 20;

/** Creates the function that the file of a thread exports. Only the pipeline calls it, with a ThreadTask. */
export function serve(registry: Registry): (task: unknown) => Promise<unknown> {
  const { settings } = (workerData ?? {}) as ThreadData;
  const open = createThreadContainers(settings);
  let unhandled = 0;
  let latest = 0;
  let hasRun = false;
  // Only in a thread: a process that imports the file elsewhere keeps its own handling of such errors.
  if (!isMainThread) {
    takeUnhandledErrors((error, wasInFlight) => {
      unhandled += 1;
      if (unhandled <= MAX_UNHANDLED) send({ kind: 'unhandled', task: latest, error: toErrorText(error), wasInFlight });
    });
  }
  return async (received) => {
    const task = received as ThreadTask;
    unhandled = 0;
    latest = task.id;
    const workload = registry.workload(task.reference.workload);
    if (!workload) return { refused: `No workload is named "${task.reference.workload}".` } satisfies ThreadAnswer;
    // Checked here because the task has waited for this thread, which may have been loading. What is left of a dead thread
    // is stored in any case.
    if (task.remains === undefined && isTooLate(task)) return { notBegun: true } satisfies ThreadAnswer;
    const { log, endLog } = createLog(task);
    const sendCopy = (copy: Copy): void => send({ kind: 'copy', task: task.id, copy }, [copy.bytes.buffer]);
    const renew = (): void => {
      setUsed(task.statusBuffer);
      process.exit();
    };
    const tools = {
      clockMs: processClockMs,
      random: Math.random,
      log,
      container: open,
      sendCopy,
      renew: hasRun ? renew : undefined,
    };
    hasRun ||= task.remains === undefined;
    return asInvocation(async () => {
      const outcome = await runChunk(workload, task, tools);
      endLog();
      return moved({ ...outcome, operations: spentSoFar() });
    });
  };
}

const isTooLate = ({ beginUntilMs = Number.POSITIVE_INFINITY }: ThreadTask): boolean =>
  processClockMs() >= beginUntilMs;

const send = (message: ThreadMessage, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(message, transfer);

function createLog({ id, reference: { batch, chunk } }: ThreadTask): { log: LogSink; endLog: () => void } {
  let lines = 0;
  const write = (message: string, position?: number): void =>
    send({ kind: 'log', task: id, message: message.slice(0, MAX_MESSAGE_CHARS), batch, chunk, position });
  return {
    log: (message, position) => {
      lines += 1;
      if (lines <= MAX_LOG_LINES) write(String(message), position);
    },
    endLog: () => {
      if (lines > MAX_LOG_LINES) write(`${lines - MAX_LOG_LINES} more log lines of this chunk were dropped.`);
    },
  };
}

/** Moves the body to the main thread without a copy. The rest is a few numbers. */
function moved(outcome: ChunkOutcome): unknown {
  const answer: ThreadAnswer = { outcome };
  return move({ [transferableSymbol]: [outcome.body.buffer], [valueSymbol]: answer } as never);
}
