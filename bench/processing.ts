/** Items per second of a light workload with one and two worker threads. Run: `node bench/processing.ts`. */
import { performance } from 'node:perf_hooks';
import { createProcessor } from '../shared/processing/threads/processor.ts';
import { chunkJob } from './contenders/chunk-job.ts';

const ITEMS = 5_000;
const CHUNKS = 100;
const WARM_UP_CHUNKS = 10;

const item = (id: number): string =>
  JSON.stringify({ id: `tx-${id}`, account: `account-${id % 200}`, amount: (id * 7_919) % 100_000, currency: 'EUR' });

async function measure(threads: number): Promise<void> {
  const threadUrl = new URL('./processing-thread.ts', import.meta.url);
  const processor = createProcessor({ threadUrl, threads, log: console.log });
  const lines = Array.from({ length: ITEMS }, (_, id) => item(id));
  const job = chunkJob('light', lines);
  const run = (chunks: number) => Promise.all(Array.from({ length: chunks }, () => processor.process(job)));
  await run(WARM_UP_CHUNKS * threads);
  const startMs = performance.now();
  const outcomes = await run(CHUNKS);
  const seconds = (performance.now() - startMs) / 1_000;
  const inThreads = outcomes.reduce((sum, { header }) => sum + header.handlerSeconds, 0);
  const rate = (per: number): string => `${Math.round((CHUNKS * ITEMS) / per).toLocaleString('en')} items/s`;
  console.log(`${threads} thread(s): ${rate(seconds)}; ${rate(inThreads)} a thread's own second`);
  await processor.close();
}

for (const threads of [1, 2]) await measure(threads);
