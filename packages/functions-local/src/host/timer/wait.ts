import { setTimeout as sleep } from 'node:timers/promises';

/** Node's timers accept at most 31 bits of milliseconds (24.8 days). A longer timer would fire immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits until a time without an upper limit. Resolves to false if aborted. */
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
