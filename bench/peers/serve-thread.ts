import { parentPort, workerData } from 'node:worker_threads';
import type { Totals } from '../contenders/handle.ts';

/** What a thread's work is given. */
export interface ThreadWork {
  /** Address of Redis or PostgreSQL. */
  server: string;
  /** The totals that items are added to; another map after each run. */
  totals(): Totals;
  /** Says that so many items are done. */
  handled(items: number): void;
  /** Ends the run with this error: no item may fail. */
  failed(error: unknown): void;
}

/** Starts a thread's work, and ends it by the function that `start` resolves with. */
export async function serveThread(start: (work: ThreadWork) => Promise<() => Promise<unknown>>): Promise<void> {
  let totals: Totals = new Map();
  const stop = await start({
    server: workerData as string,
    totals: () => totals,
    handled: (items) => parentPort?.postMessage(items),
    // Thrown where no library can catch it.
    failed: (error) =>
      void setImmediate(() => {
        throw error;
      }),
  });
  parentPort?.on('message', (message: 'totals' | 'end') => {
    if (message === 'totals') {
      parentPort?.postMessage(totals);
      totals = new Map();
    } else void stop().finally(() => parentPort?.close());
  });
  parentPort?.postMessage('ready');
}
