import { type BatchState, isFinished } from '../../shared/batches/batch-row.ts';
import { ApiProblem } from '../api/problem.ts';
import { CliError, Unreachable } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';

/** How a command ends that waited for a batch. */
export function endingOf({ state }: { state: BatchState }): ExitCode {
  if (state === 'cancelled') return EXIT.cancelled;
  if (state === 'reportFailed') return EXIT.reportFailed;
  if (state === 'suspect') return EXIT.suspect;
  return state === 'completedWithDeadLetters' ? EXIT.deadLetters : EXIT.done;
}

/** What waiting needs from outside. Times in milliseconds. */
export interface Waiting<T> {
  look(): Promise<T>;
  /** The state that is known already; without it the first look must succeed, because the address may be wrong. */
  first?: T;
  show(seen: T): void | Promise<void>;
  sleep(ms: number): Promise<unknown>;
  now(): number;
  /** Default: no limit. */
  timeoutMs?: number | undefined;
  /** Until the next look, after so long; default `lookEveryMs`. */
  everyMs?: (waitedMs: number) => number;
}

/** A look is a request that reads storage: often at first, when it is watched with impatience, ever more seldom then. */
export const lookEveryMs = (waitedMs: number): number => Math.min(5_000, Math.max(500, waitedMs / 20));

/** A restart of the app, as a deployment does it, is over by then. */
const MAX_SILENCE_MS = 60_000;

/** Looks at a batch until it is finished, over failures of a minute. Throws CliError when the time is over. */
export const untilFinished = <T extends { state: BatchState }>(waiting: Waiting<T>): Promise<T> =>
  waitUntil({
    ...waiting,
    isOver: ({ state }) => isFinished(state),
    late: (waitedMs) =>
      new CliError(`Not finished after ${Math.round(waitedMs / 1000)} s; it goes on.`, { exitCode: EXIT.timeout }),
  });

/** Looks at something until it is over, over failures of a minute. Throws `late` when the time is over. */
export async function waitUntil<T extends object>(
  waiting: Waiting<T> & { isOver(seen: T): boolean; late(waitedMs: number): CliError },
): Promise<T> {
  const { sleep, now, timeoutMs = Infinity, everyMs = lookEveryMs } = waiting;
  const startedAt = now();
  let heardAt = waiting.first === undefined ? -Infinity : startedAt;
  for (;;) {
    const seen = await lookOver(waiting, now() - heardAt);
    if (seen) {
      heardAt = now();
      if (waiting.isOver(seen)) return seen;
      await waiting.show(seen);
    }
    const waitedMs = now() - startedAt;
    if (waitedMs >= timeoutMs) throw waiting.late(waitedMs);
    await sleep(Math.min(everyMs(waitedMs), timeoutMs - waitedMs));
  }
}

/** What was seen, or undefined for a failure that may pass. */
async function lookOver<T>({ look }: Pick<Waiting<T>, 'look'>, silenceMs: number): Promise<T | undefined> {
  try {
    return await look();
  } catch (error: unknown) {
    const mayPass = error instanceof Unreachable || (error instanceof ApiProblem && error.status >= 500);
    if (!mayPass || silenceMs > MAX_SILENCE_MS) throw error;
    return undefined;
  }
}
