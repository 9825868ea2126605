/** A worker thread of pg-boss. */
import { PgBoss } from 'pg-boss';
import { handleItem } from '../contenders/handle.ts';
import { bossOptions, QUEUE } from './pg-boss-settings.ts';
import { serveThread } from './serve-thread.ts';

/** Jobs per fetch; while fetches come back full, the next one follows at once. */
const BATCH_SIZE = 1_000;

await serveThread(async ({ server, totals, handled }) => {
  const boss = new PgBoss(bossOptions(server));
  boss.on('error', console.error);
  await boss.start();
  const options = { batchSize: BATCH_SIZE, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
  await boss.work<object>(QUEUE, { ...options, localConcurrency: 2 }, async (jobs) => {
    for (const { data } of jobs) handleItem(data, totals());
    handled(jobs.length);
  });
  return () => boss.stop();
});
