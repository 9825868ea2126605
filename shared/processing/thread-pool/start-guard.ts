import { ThreadStartError } from './errors.ts';

/** How long chunks of a workload are refused after its threads did not start: each start loads the whole app. */
const REFUSE_MS = 5_000;

/** Runs a chunk of `workload`, unless threads have failed to start for one just before; then rejects with that error. */
export type StartGuard = <T>(workload: string, run: () => Promise<T>) => Promise<T>;

/** Makes the guard of one process. `clockMs` is a clock for durations. */
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
