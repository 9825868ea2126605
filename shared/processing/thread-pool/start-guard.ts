import { ThreadStartError } from './errors.ts';

/** How long chunks of a workload are refused after its threads failed to start: each start loads the whole app. */
const REFUSE_MS = 5_000;

/** Runs a chunk of `workload`. If threads have just failed to start for one, rejects with that error instead. */
export type StartGuard = <T>(workload: string, run: () => Promise<T>) => Promise<T>;

/** Creates the guard of one process. `clockMs` is a clock for durations. */
export function createStartGuard(clockMs: () => number): StartGuard {
  const failures = new Map<string, { error: ThreadStartError; untilMs: number }>();
  return async (workload, run) => {
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
