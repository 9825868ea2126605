const BASE_MS = 1_000;
const CAP_MS = 15 * 60 * 1_000;
/** Storage queues hide a message for at most seven days (learn: put-message). */
const MAX_AFTER_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * Wait before the next attempt in milliseconds: 1 s doubled per failed attempt, at most 15 minutes, spread by ±20 % so
 * that items which failed together do not come back together; at least `afterSeconds` if the handler named a wait.
 */
export function retryDelayMs(failedAttempts: number, random: number, afterSeconds = 0): number {
  const backOff = Math.min(CAP_MS, BASE_MS * 2 ** (failedAttempts - 1)) * (0.8 + 0.4 * random);
  const after = Number.isNaN(afterSeconds) ? 0 : afterSeconds * 1_000;
  return Math.round(Math.max(backOff, Math.min(after, MAX_AFTER_MS)));
}
