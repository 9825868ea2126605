import { MAX_DELAY_SECONDS } from '../../../contract/queue-limits.ts';
import type { RetryPolicy } from '../../../workload/define.ts';
import { Retry } from '../../../workload/errors.ts';
import { isInstance } from '../../outcome/error-text.ts';

/**
 * Returns the wait before the next attempt in milliseconds: the first delay, multiplied by `factor` for each further
 * failed attempt, at most `maxDelaySeconds`. Then it is spread by ±`jitter` (`random` in [0, 1)), so that items which failed
 * together are not retried together; it may exceed the maximum by that. It is at least `afterSeconds` if the handler specified a wait, and at most seven
 * days.
 */
export function retryDelayMs(
  { firstDelaySeconds, factor, maxDelaySeconds, jitter }: RetryPolicy,
  failedAttempts: number,
  random: number,
  afterSeconds = 0,
): number {
  const seconds = Math.min(maxDelaySeconds, firstDelaySeconds * factor ** (failedAttempts - 1));
  const backOffMs = seconds * 1_000 * (1 - jitter + 2 * jitter * random);
  return Math.round(Math.min(Math.max(backOffMs, afterSeconds * 1_000), MAX_DELAY_SECONDS * 1_000));
}

/** Returns the wait that a thrown `Retry` asks for; undefined for other values, and if its getter throws. */
export function retryAfterSeconds(thrown: unknown): number | undefined {
  if (!isInstance(thrown, Retry)) return undefined;
  try {
    const after: unknown = thrown.after;
    return typeof after === 'number' && after >= 0 ? after : undefined;
  } catch {
    return undefined;
  }
}
