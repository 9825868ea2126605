import { errorCodeOf } from '../../errors.ts';
import { type ErrorText, toErrorText } from '../outcome/error-text.ts';
import { ALONE } from '../thread/thread-status.ts';
import type { Verdict } from '../thread/thread-task.ts';
import type { ThreadDeath } from './threads.ts';

/**
 * Returns which item ended a thread: the one that ran alone, and was the first one called in it; undefined if no item can
 * be blamed. An item that merely was the only one in flight proves nothing: another may have left a timer, or filled the
 * memory. `atMs` is the service time.
 */
export function verdictOf({ items, stuck, error, status }: ThreadDeath, atMs: number): Verdict | undefined {
  const slot = items.indexOf(ALONE);
  if (slot < 0 || status.stop !== undefined) return undefined;
  return stuck ? { slot, atMs, kind: 'timedOut' } : { slot, atMs, kind: 'killed', error: deathText(error) };
}

const EXITED = /^worker exited with code: (-?\d+)$/;

/** Describes the death of a thread for the author of the handler. */
export function deathText(error: unknown): ErrorText {
  const text = toErrorText(error);
  if (errorCodeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { name: 'OutOfMemoryError', message: 'The handler used up the memory of its thread.' };
  }
  const exited = EXITED.exec(text.message);
  if (exited) return { name: 'ThreadExitError', message: `The handler ended its thread with exit code ${exited[1]}.` };
  return text;
}
