/** A worker thread of pg-boss. */
import { PgBoss } from 'pg-boss';
import { handleItem } from '../../contenders/handle.ts';
import { serveThread } from '../serve-thread.ts';
import { bossOptions, QUEUE } from './settings.ts';

/** Jobs per fetch. While a fetch returns the full number, the next one follows immediately. */
const BATCH_SIZE = 2_500;

await serveThread(async ({ server, totals, handled, failed }) => {
  const boss = new PgBoss(bossOptions(server));
  boss.on('error', failed);
  await boss.start();
  const options = { batchSize: BATCH_SIZE, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
  await boss.work<object>(QUEUE, options, async (jobs) => {
    for (const { data } of jobs) handleItem(data, totals());
    // Reported before the jobs are completed, so the completion of the last batch is not in the measured time.
    handled(jobs.length);
  });
  return () => boss.stop();
});
