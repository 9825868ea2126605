import { setTimeout as sleep } from 'node:timers/promises';
import { formatTimeSpan } from '../../time-span.ts';
import { seconds } from '../../units.ts';
import { toError } from '../errors.ts';
import type { HostLog } from '../log/host-log.ts';
import type { RetryContext, RetryOptions, RpcInvocationResponse } from '../worker-protocol.ts';
import type { Invocation, Invoker } from './invoker.ts';

/**
 * Returns the milliseconds before attempt `attempt` (1 is the first retry). `random` is in 0..1. Exponential backoff doubles
 * from the minimum up to the maximum, and varies by a fifth.
 */
export function retryDelayMs(options: RetryOptions, attempt: number, random: number): number {
  if (options.retryStrategy === 'fixedDelay') return seconds(options.delayInterval?.seconds ?? 0);
  const minimum = seconds(options.minimumInterval?.seconds ?? 0);
  const maximum = seconds(options.maximumInterval?.seconds ?? 0);
  if (attempt <= 1) return Math.min(minimum, maximum);
  return Math.min(maximum, minimum + 2 ** (attempt - 2) * minimum * (0.8 + 0.4 * random));
}

/** Invokes a function with its retry policy. Rejects with the last error, or if it is aborted between attempts. */
export async function invokeWithRetry(
  { invoker, log, signal }: { invoker: Invoker; log: HostLog; signal: AbortSignal },
  invocation: Invocation,
): Promise<RpcInvocationResponse> {
  const { name, retryOptions } = invocation.fn.metadata;
  if (!retryOptions) return invoker.invoke(invocation);
  const { maxRetryCount } = retryOptions;
  let retryContext: RetryContext = { retryCount: 0, maxRetryCount };
  for (;;) {
    try {
      return await invoker.invoke({ ...invocation, retryContext });
    } catch (error: unknown) {
      const retryCount = retryContext.retryCount + 1;
      if (signal.aborted || (maxRetryCount !== -1 && retryCount > maxRetryCount)) throw error;
      const delay = retryDelayMs(retryOptions, retryCount, Math.random());
      const counts = `Next attempt: '${retryCount}'. Max retry count: '${maxRetryCount}'.`;
      const text = `Waiting for \`${formatTimeSpan(delay)}\` before retrying function execution. ${counts}`;
      log.write('information', `Function.${name}`, text);
      await sleep(delay, undefined, { signal });
      retryContext = { retryCount, maxRetryCount, exception: toException(error) };
    }
  }
}

function toException(thrown: unknown): { message: string; source: string; stackTrace: string } {
  const { message, stack } = toError(thrown);
  return { message, source: '', stackTrace: stack ?? '' };
}
