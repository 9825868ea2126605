import type { RetryOptions } from '../turns/actions.ts';

const dayMs = 24 * 60 * 60_000;

/** How long timers are split. */
export interface TimerLimits {
  /** A timer that is further away is split. */
  maximumMs: number;
  /** The length of one piece. */
  intervalMs: number;
}

/** The limits of the Azure Storage provider; both sides must use the same, since each piece takes an id. */
export const azureTimerLimits: TimerLimits = { maximumMs: 6 * dayMs, intervalMs: 3 * dayMs };

/** When the next piece of a timer fires. */
export function timerPiece(final: number, now: number, limits: TimerLimits): number {
  return final - now > limits.maximumMs ? now + limits.intervalMs : final;
}

/** A TimeSpan text for whole days. */
export function toDaysTimeSpan(milliseconds: number): string {
  return `${milliseconds / dayMs}.00:00:00`;
}

/** The wait after the given failed attempt (counted from 1). */
export function retryDelayMs(options: RetryOptions | undefined, attempt: number): number {
  if (!options) return 0;
  const delay = options.firstRetryIntervalInMilliseconds * (options.backoffCoefficient ?? 1) ** (attempt - 1);
  return Math.min(delay, options.maxRetryIntervalInMilliseconds ?? 6 * dayMs);
}

/** Whether the options' retry time-out has run out since the first attempt. */
export function retryTimedOut(options: RetryOptions | undefined, firstAttempt: number, now: number): boolean {
  const limit = options?.retryTimeoutInMilliseconds;
  return limit !== undefined && now - firstAttempt >= limit;
}
