/** A worker thread of BullMQ whose jobs are groups of lines. */
import { Worker } from 'bullmq';
import { handleLines, type Totals } from '../contenders/handle.ts';
import { GROUPS, type Partial, prefix, redisOptions } from './bullmq-settings.ts';
import { serveThread } from './serve-thread.ts';

await serveThread(async ({ server, handled }) => {
  const worker = new Worker<string, Partial>(
    GROUPS,
    async ({ data }) => {
      const totals: Totals = new Map();
      handled(handleLines(data, totals));
      return [...totals];
    },
    { connection: redisOptions(server), prefix, concurrency: 2 },
  );
  await worker.waitUntilReady();
  return () => worker.close();
});
