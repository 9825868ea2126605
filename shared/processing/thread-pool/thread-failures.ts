import { type ErrorText, toErrorText } from '../outcome/error-text.ts';
import type { ThreadStatus } from '../thread/thread-status.ts';
import { OUTSIDE, WHOLE_CHUNK } from '../thread/thread-status.ts';
import type { KnownFailure } from '../thread/thread-task.ts';

/** What the ends of threads have taught about a chunk. */
export interface ThreadFailures {
  knownFailures: KnownFailure[];
  single: boolean;
  /** Ends at which no item could be named. */
  unattributed: number;
  /** Threads that ended before they began. */
  unstarted: number;
}

/** How a thread ended without an answer. */
export interface Ended {
  status: ThreadStatus;
  stuck: boolean;
  error: unknown;
}

/** Before the first run. */
export const NO_FAILURES: ThreadFailures = { knownFailures: [], single: false, unattributed: 0, unstarted: 0 };

/**
 * Records a failed attempt for the item that was running when a thread died. Other items are unaffected; with
 * `mapChunk` that was the whole chunk, so the next run takes the items one by one. `atMs` is the service time. The end
 * of an item that cannot have run again is unattributed.
 */
export function recordThreadFailure(
  failures: ThreadFailures,
  { status, stuck, error }: Ended,
  atMs: number,
): ThreadFailures {
  const { position } = status;
  // One that hung has taken its time already: it is not tried again.
  if (status.sequence === 0) return { ...failures, unstarted: stuck ? Infinity : failures.unstarted + 1 };
  if (position === WHOLE_CHUNK) return { ...failures, single: true };
  if (position === OUTSIDE || failures.knownFailures.some(({ line }) => line === position)) {
    return { ...failures, unattributed: failures.unattributed + 1 };
  }
  const line = { line: position, atMs };
  const knownFailure: KnownFailure = stuck
    ? { ...line, kind: 'timedOut' }
    : { ...line, kind: 'killed', error: deathText(error) };
  return { ...failures, knownFailures: [...failures.knownFailures, knownFailure] };
}

const EXITED = /^worker exited with code: (-?\d+)$/;

/** How a thread died, said for the one who wrote the handler. */
export function deathText(error: unknown): ErrorText {
  const text = toErrorText(error);
  if (isOutOfMemory(error)) {
    return { name: 'OutOfMemoryError', message: 'The handler used up the memory of its thread.' };
  }
  const exited = EXITED.exec(text.message);
  if (exited) return { name: 'ThreadExitError', message: `The handler ended its thread with exit code ${exited[1]}.` };
  return text;
}

/** Whether a thread ended because its heap was full. */
export const isOutOfMemory = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
