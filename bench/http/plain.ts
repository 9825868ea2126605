/** The limit of this machine: the calls from as many threads as Sluice has, without any other work. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HttpWork } from './client.ts';

/** Makes `items` calls, spread over `threads`; returns seconds. A warm-up of the same kind is not counted. */
export async function runPlain(work: HttpWork, items: number, threads: number): Promise<number> {
  const file = new URL('./plain-thread.ts', import.meta.url);
  const workers = Array.from({ length: threads }, () => new Worker(file, { workerData: work }));
  const run = (count: number): Promise<unknown> =>
    Promise.all(
      workers.map((worker) => {
        worker.postMessage(Math.ceil(count / threads));
        return once(worker, 'message');
      }),
    );
  try {
    await run(threads * work.concurrency);
    const start = performance.now();
    await run(items);
    return (performance.now() - start) / 1_000;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
