import { parentPort, workerData } from 'node:worker_threads';
import type { Totals } from '../contenders/handle.ts';

/** What the work of a thread can use. */
export interface ThreadWork {
  /** Address of Redis or PostgreSQL. */
  server: string;
  /** The totals that items are added to; another map after each run. */
  totals(): Totals;
  /** Reports the number of finished items. */
  handled(items: number): void;
  /** Ends the run with this error: no item may fail. */
  failed(error: unknown): void;
}

/** Starts the work of a thread, and ends it with the function that `start` resolves with. */
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
