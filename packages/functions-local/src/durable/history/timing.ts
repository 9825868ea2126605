import type { RetryOptions } from '../episodes/actions.ts';

const dayMs = 24 * 60 * 60_000;

/** Limits above which a timer is split. */
export interface TimerLimits {
  /** A longer timer is split. */
  maximumMs: number;
  /** The length of one piece. */
  intervalMs: number;
}

/** The limits of the Azure Storage provider. The library must use the same limits, since each piece consumes a task id. */
export const azureTimerLimits: TimerLimits = { maximumMs: 6 * dayMs, intervalMs: 3 * dayMs };

/** Returns when the next piece of a timer fires. */
export function timerPiece(final: number, now: number, limits: TimerLimits): number {
  return final - now > limits.maximumMs ? now + limits.intervalMs : final;
}

/** Formats whole days as a TimeSpan. */
export function toDaysTimeSpan(milliseconds: number): string {
  return `${milliseconds / dayMs}.00:00:00`;
}

/** Returns the wait after a failed attempt (counted from 1), in milliseconds. */
export function retryDelayMs(options: RetryOptions | undefined, attempt: number): number {
  if (!options) return 0;
  const delay = options.firstRetryIntervalInMilliseconds * (options.backoffCoefficient ?? 1) ** (attempt - 1);
  return Math.min(delay, options.maxRetryIntervalInMilliseconds ?? 6 * dayMs);
}

/** Whether the retry timeout has elapsed since the first attempt. */
export function retryTimedOut(options: RetryOptions | undefined, firstAttempt: number, now: number): boolean {
  const limit = options?.retryTimeoutInMilliseconds;
  return limit !== undefined && now - firstAttempt >= limit;
}
