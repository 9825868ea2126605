import { ThreadStartError } from './errors.ts';

/** How long chunks of a workload are refused after its threads failed to start: each start loads the whole app. */
const REFUSE_MS = 5_000;

/**
 * Creates the guard of one process. It runs a chunk of `workload`, or if threads have just failed to start for one, rejects
 * with that error instead. `clockMs` is a clock for durations.
 */
export function createStartGuard(clockMs: () => number) {
  const failures = new Map<string, { error: ThreadStartError; untilMs: number }>();
  return async <T>(workload: string, run: () => Promise<T>): Promise<T> => {
    const failure = failures.get(workload);
    if (failure !== undefined && clockMs() < failure.untilMs) throw failure.error;
    try {
      return await run();
    } catch (error) {
      if (error instanceof ThreadStartError) failures.set(workload, { error, untilMs: clockMs() + REFUSE_MS });
      throw error;
    }
  };
}
