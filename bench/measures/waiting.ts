/**
 * Handlers that wait: how closely the rate approaches the limit that the items in flight set, compared with p-map with
 * the same number in flight.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CHUNK_ITEMS, CONCURRENCIES, WAIT_MS, waitingName } from '../app/waiting.ts';
import type { BenchOptions } from '../arguments.ts';
import { forkContender } from '../contenders/fork.ts';
import { measureSluice } from '../contenders/sluice.ts';
import { writeWaitingUpload } from '../stack/data.ts';
import type { BenchStack } from '../stack/stack.ts';
import { type Measurement, shareOf } from './measurement.ts';

/** The result of one concurrency. */
export interface WaitingResult {
  /** Items in flight per thread. */
  concurrency: number;
  threads: number;
  waitMs: number;
  /** concurrency × threads / wait: items per second that no handler can exceed. */
  ideal: number;
  /** One thread with concurrency × threads in flight. */
  pMap: Measurement;
  /** Only the worker threads: chunks in memory, no storage. */
  processor: Measurement;
  /** The app on the local stack, from the upload to the report. */
  pipeline: Measurement;
}

const NOTHING_STORED = { operations: {}, actions: 0 };

/**
 * Runs the three in turn for each concurrency. The warm-up of each, which starts threads and connections, is not
 * counted.
 */
export async function measureWaiting(
  stack: BenchStack,
  folder: string,
  { waitingSeconds }: Pick<BenchOptions, 'waitingSeconds'>,
): Promise<WaitingResult[]> {
  const results: WaitingResult[] = [];
  for (const concurrency of CONCURRENCIES) {
    const threads = availableParallelism();
    const ideal = (concurrency * threads * 1_000) / WAIT_MS;
    const items = itemsFor(ideal * waitingSeconds, threads);
    const warmUp = threads * concurrency;
    const alone = async (contender: 'pMap' | 'processor'): Promise<Measurement> => {
      const child = forkContender();
      await child.run({ contender, concurrency, items: warmUp });
      const done = await child.run({ contender, concurrency, items });
      await child.end();
      return { ...done, ...NOTHING_STORED };
    };
    const result = {
      ...{ concurrency, threads, waitMs: WAIT_MS, ideal },
      pMap: await alone('pMap'),
      processor: await alone('processor'),
      pipeline: await wholePipeline(stack, folder, { concurrency, items, warmUp }),
    };
    print(result);
    results.push(result);
  }
  return results;
}

/**
 * The number of items that is nearest to `wanted` and consists of full chunks, equally many per thread, so that no
 * thread is idle while another works.
 */
function itemsFor(wanted: number, threads: number): number {
  const step = CHUNK_ITEMS * threads;
  return Math.max(1, Math.round(wanted / step)) * step;
}

async function wholePipeline(
  stack: BenchStack,
  folder: string,
  { concurrency, items, warmUp }: { concurrency: number; items: number; warmUp: number },
): Promise<Measurement> {
  const workload = waitingName(concurrency);
  const [small, whole] = ['warm-up', 'whole'].map((name) => join(folder, `${workload}-${name}.zst`)) as [
    string,
    string,
  ];
  await writeWaitingUpload(small, warmUp);
  await writeWaitingUpload(whole, items);
  await measureSluice(stack, small, workload);
  return measureSluice(stack, whole, workload);
}

function print(result: WaitingResult): void {
  const { concurrency, ideal } = result;
  const share = (name: 'pMap' | 'processor' | 'pipeline'): string =>
    `${name} ${shareOf(result, result[name]).toFixed(3)}`;
  process.stdout.write(
    `  concurrency ${concurrency}, of ${ideal} items/s: ${share('pMap')}, ${share('processor')}, ${share('pipeline')}\n`,
  );
}
