/** A worker thread of BullMQ whose jobs are groups of lines. */
import { Worker } from 'bullmq';
import { handleLines, type Totals } from '../../contenders/handle.ts';
import { serveThread } from '../serve-thread.ts';
import { connectionTo, GROUPS, type Partial } from './settings.ts';

/** The next job is fetched while one is handled. */
const CONCURRENCY = 2;

await serveThread(async ({ server, handled, failed }) => {
  const handleGroup = async ({ data }: { data: string }): Promise<Partial> => {
    const totals: Totals = new Map();
    handled(handleLines(data, totals));
    return [...totals];
  };
  const worker = new Worker<string, Partial>(GROUPS, handleGroup, {
    ...connectionTo(server),
    concurrency: CONCURRENCY,
  });
  worker.on('failed', (_job, error) => failed(error));
  await worker.waitUntilReady();
  return () => worker.close();
});
