/** A worker thread of BullMQ whose jobs are single items. */
import { Worker } from 'bullmq';
import { handleItem } from '../../contenders/handle.ts';
import { serveThread } from '../serve-thread.ts';
import { connectionTo, ITEMS } from './settings.ts';

/** Concurrent jobs per thread: their round trips to Redis overlap. With 100, the CPU time was a fifth higher. */
const CONCURRENCY = 20;

await serveThread(async ({ server, totals, handled, failed }) => {
  const worker = new Worker<object>(ITEMS, async ({ data }) => handleItem(data, totals()), {
    ...connectionTo(server),
    concurrency: CONCURRENCY,
  });
  worker.on('completed', () => handled(1));
  worker.on('failed', (_job, error) => failed(error));
  await worker.waitUntilReady();
  return () => worker.close();
});
