/** A worker thread of BullMQ whose jobs are single items. */
import { Worker } from 'bullmq';
import { handleItem } from '../contenders/handle.ts';
import { ITEMS, prefix, redisOptions } from './bullmq-settings.ts';
import { serveThread } from './serve-thread.ts';

/** Jobs at once per thread: their round trips to Redis overlap. */
const CONCURRENCY = 100;

await serveThread(async ({ server, totals, handled }) => {
  const worker = new Worker<object>(ITEMS, async ({ data }) => handleItem(data, totals()), {
    connection: redisOptions(server),
    prefix,
    concurrency: CONCURRENCY,
  });
  worker.on('completed', () => handled(1));
  await worker.waitUntilReady();
  return () => worker.close();
});
