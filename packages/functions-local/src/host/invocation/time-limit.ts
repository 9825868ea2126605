import { formatTimeSpan } from '../../time-span.ts';
import { seconds } from '../../units.ts';
import { FunctionTimeoutAbortError, FunctionTimeoutError } from '../errors.ts';
import { withDeadline } from './with-deadline.ts';

/**
 * How long an invocation that has exceeded its limit may still end by itself. Then the process keeps running
 * (TimeoutAttribute.GracePeriod of the WebJobs SDK).
 */
const GRACE_MS = seconds(2);

/** Applies `functionTimeout` to the invocations of a process. */
export interface TimeLimit {
  /** Resolves with the id of the first invocation that has not ended after its limit and the grace period. */
  readonly exceeded: Promise<string>;
  /** Runs an invocation. Rejects with FunctionTimeoutError at its limit, or with FunctionTimeoutAbortError after `abort`. */
  apply<T>(run: () => Promise<T>, invocation: { name: string; invocationId: string }): Promise<T>;
  /** Ends all running invocations, and all that start later. Their handlers continue to run, but their results are ignored. */
  abort(): void;
}

/** Creates the limit. If `functionTimeoutMs` is undefined, invocations end only with their handlers or `abort`. */
export function createTimeLimit(functionTimeoutMs?: number): TimeLimit {
  const exceeded = Promise.withResolvers<string>();
  const running = new Set<(error: Error) => void>();
  let isAborted = false;
  const watch = <T>(work: Promise<T>, name: string, invocationId: string): Promise<T> => {
    if (functionTimeoutMs === undefined) return work;
    return withDeadline(work, functionTimeoutMs, () => {
      const grace = setTimeout(() => exceeded.resolve(invocationId), GRACE_MS);
      const settled = (): void => clearTimeout(grace);
      work.then(settled, settled);
      const text = `Timeout value of ${formatTimeSpan(functionTimeoutMs)} was exceeded by function: Functions.${name}`;
      throw new FunctionTimeoutError(text);
    });
  };
  return {
    exceeded: exceeded.promise,
    apply: (run, { name, invocationId }) =>
      new Promise((resolve, reject) => {
        if (isAborted) throw aborted();
        running.add(reject);
        watch(run(), name, invocationId)
          .then(resolve, reject)
          .finally(() => running.delete(reject));
      }),
    abort: () => {
      isAborted = true;
      for (const reject of running) reject(aborted());
    },
  };
}

const aborted = (): Error => new FunctionTimeoutAbortError('Worker channel is shutting down. Aborting function.');
