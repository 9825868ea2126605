import { type BatchState, isFinished } from '../../shared/batches/batch-row.ts';
import { ApiProblem } from '../api/problem.ts';
import { CliError, Unreachable } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';

/** Returns the exit code of a command that waited for a batch. */
export function exitCodeOf({ state }: { state: BatchState }): ExitCode {
  if (state === 'cancelled') return EXIT.cancelled;
  if (state === 'reportFailed') return EXIT.reportFailed;
  if (state === 'suspect') return EXIT.suspect;
  return state === 'completedWithDeadLetters' ? EXIT.deadLetters : EXIT.done;
}

/** The dependencies of waiting. Times are in milliseconds. */
export interface Waiting<T> {
  poll(): Promise<T>;
  /** The state that is already known. Without it, the first poll must succeed, because the address may be wrong. */
  first?: T;
  show(seen: T): void | Promise<void>;
  sleep(ms: number): Promise<unknown>;
  now(): number;
  timeoutMs?: number | undefined;
  /** Returns the time until the next poll, given the time waited so far. Defaults to `pollEveryMs`. */
  everyMs?: (waitedMs: number) => number;
}

/** Returns the interval of polls, which grows with the time waited: each poll is a request that reads storage. */
export const pollEveryMs = (waitedMs: number): number => Math.min(5_000, Math.max(500, waitedMs / 20));

/** Maximum time without an answer: a deployment restarts the app faster than this. */
const MAX_SILENCE_MS = 60_000;

/** Polls a batch until it is finished, and tolerates failures for up to a minute. Throws CliError after the timeout. */
export const untilFinished = <T extends { state: BatchState }>(waiting: Waiting<T>): Promise<T> =>
  waitUntil({
    ...waiting,
    isDone: ({ state }) => isFinished(state),
    late: (waitedMs) =>
      new CliError(`The batch is not finished after ${Math.round(waitedMs / 1000)} s; it continues.`, {
        exitCode: EXIT.timeout,
      }),
  });

/** Polls until `isDone`, and tolerates failures for up to a minute. Throws `late` after the timeout. */
export async function waitUntil<T extends object>(
  waiting: Waiting<T> & { isDone(seen: T): boolean; late(waitedMs: number): CliError },
): Promise<T> {
  const { sleep, now, timeoutMs = Infinity, everyMs = pollEveryMs } = waiting;
  const startedAt = now();
  let answeredAt = waiting.first === undefined ? -Infinity : startedAt;
  for (;;) {
    const seen = await tryPoll(waiting, now() - answeredAt);
    if (seen) {
      answeredAt = now();
      if (waiting.isDone(seen)) return seen;
      await waiting.show(seen);
    }
    const waitedMs = now() - startedAt;
    if (waitedMs >= timeoutMs) throw waiting.late(waitedMs);
    await sleep(Math.min(everyMs(waitedMs), timeoutMs - waitedMs));
  }
}

/** Returns the answer, or undefined for a failure that may be temporary. */
async function tryPoll<T>({ poll }: Pick<Waiting<T>, 'poll'>, silenceMs: number): Promise<T | undefined> {
  try {
    return await poll();
  } catch (error: unknown) {
    const isTemporary = error instanceof Unreachable || (error instanceof ApiProblem && error.status >= 500);
    if (!isTemporary || silenceMs > MAX_SILENCE_MS) throw error;
    return undefined;
  }
}
