/** Contender: only Sluice's processor, with chunks in memory and its worker threads. */
import { availableParallelism } from 'node:os';
import { createProcessor, type Processor } from '../../shared/processing/threads/processor.ts';
import { CHUNK_ITEMS, waitingName } from '../app/waiting.ts';
import { waitingLines } from '../stack/data.ts';
import { chunkJob } from './chunk-job.ts';

let processor: Processor | undefined;

/** Runs `items` items, with `concurrency` of them in flight per thread. Throws if any of them fails. */
export async function runProcessor(items: number, concurrency: number): Promise<void> {
  const threadUrl = new URL('./waiting-thread.ts', import.meta.url);
  processor ??= createProcessor({ threadUrl, threads: availableParallelism(), log: console.error });
  const runChunk = async (lines: string[]): Promise<number> => {
    const { header } = await (processor as Processor).process(chunkJob(waitingName(concurrency), lines));
    return header.counts.succeeded;
  };
  const chunks: Promise<number>[] = [];
  for (let first = 0; first < items; first += CHUNK_ITEMS)
    chunks.push(runChunk(waitingLines(Math.min(CHUNK_ITEMS, items - first), first)));
  const succeeded = (await Promise.all(chunks)).reduce((sum, count) => sum + count, 0);
  if (succeeded !== items) throw new Error(`Expected ${items} items to succeed, ${succeeded} did.`);
}

/** Ends the threads. */
export const endProcessor = async (): Promise<void> => processor?.close();
