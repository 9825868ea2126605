import type { Pacer, Poll } from './pacer.ts';

const longestTimeoutMs = 2 ** 31 - 1;

/** Polls immediately whenever something may have changed, and when the next work is due. */
export function createPushPacer(poll: Poll): Pacer {
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;
  let running = false;

  function pollNow(): void {
    isScheduled = false;
    if (!running) return;
    clearTimeout(timer);
    const { nextDueAt } = poll(Date.now());
    if (nextDueAt === undefined) return;
    const wait = Math.min(Math.max(nextDueAt - Date.now(), 1), longestTimeoutMs);
    timer = setTimeout(pollNow, wait);
  }
  function wake(): void {
    // Several completions in one tick become one poll, so that one episode processes them all.
    if (!isScheduled) setImmediate(pollNow);
    isScheduled = true;
  }
  return {
    start: () => {
      running = true;
      wake();
    },
    wake,
    freed: wake,
    stop: () => {
      running = false;
      clearTimeout(timer);
    },
  };
}
