/** Items a second of a light workload through one and two worker threads. Run: `node bench/processing.ts`. */
import { performance } from 'node:perf_hooks';
import { digestOf, encodeFrameSync } from '../shared/contract/frame.ts';
import { newBatchId } from '../shared/contract/names.ts';
import { type ChunkJob, createProcessor } from '../shared/processing/thread-pool/processor.ts';

const ITEMS = 5_000;
const CHUNKS = 100;
const WARM_UP_CHUNKS = 10;

const item = (id: number): string =>
  JSON.stringify({ id: `tx-${id}`, account: `account-${id % 200}`, amount: (id * 7_919) % 100_000, currency: 'EUR' });

function chunkJob(): ChunkJob {
  const bytes = Buffer.from(`${Array.from({ length: ITEMS }, (_, id) => item(id)).join('\n')}\n`);
  const frame = encodeFrameSync(bytes);
  const place = { container: 'payloads' as const, blob: 'bench', offset: 0, length: frame.length, bytes: bytes.length };
  const reference = {
    ...{ v: 1 as const, workload: 'light', version: 1, batch: newBatchId(Date.now()), chunk: '000000' },
    ...{ kind: 'items' as const, ...place, items: ITEMS, firstItem: 0, digest: digestOf(frame) },
    enqueuedAt: new Date().toISOString(),
  };
  return { reference, frame, nowMs: Date.now() };
}

async function measure(threads: number): Promise<void> {
  const threadUrl = new URL('./processing-thread.ts', import.meta.url);
  const processor = createProcessor({ threadUrl, threads, log: console.log });
  const job = chunkJob();
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
