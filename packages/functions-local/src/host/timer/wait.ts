import { setTimeout as sleep } from 'node:timers/promises';

/** Node's timers hold 31 bits of milliseconds (24.8 days); a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits until an instant, however far. Resolves to false when aborted. */
export async function waitUntil(instantMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    for (let left = instantMs - Date.now(); left > 0; left = instantMs - Date.now()) {
      await sleep(Math.min(left, LONGEST_TIMER_MS), undefined, { signal });
    }
    return !signal.aborted;
  } catch (error: unknown) {
    if (signal.aborted) return false;
    throw error;
  }
}
