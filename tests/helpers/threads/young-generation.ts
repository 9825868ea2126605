/**
 * Prints the size in MiB of a fully grown young generation of a worker thread. A test runs it in a separate process.
 */

import { getHeapSpaceStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { z } from 'zod';
import { serve } from '../../../shared/processing/thread/serve.ts';
import { createProcessor } from '../../../shared/processing/threads/processor.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { chunkJob } from '../data/chunks.ts';
import { readResultLines } from '../data/read-outcome.ts';

const MIB = 2 ** 20;
const LOOK_EVERY = 20_000;
/** More live objects than a semi-space of any tested size can hold, so it grows to its limit. */
const LIVE = 200_000;
const ROUNDS = 10;

/**
 * The median of the second half of the samples. Not the maximum: V8 adds pages beyond the limit for a moment while a
 * collection is late (observed on a busy machine: up to 26 MiB with a limit of 24).
 */
function fullGrownMib(): number {
  const live: object[] = [];
  const seen: number[] = [];
  for (let n = 0; n < LIVE * ROUNDS; n++) {
    live[n % LIVE] = { n, list: [n] };
    if (n % LOOK_EVERY > 0) continue;
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
    seen.push(size);
  }
  const late = seen.slice(seen.length / 2).sort((a, b) => a - b);
  return (late[Math.floor(late.length / 2)] ?? 0) / MIB;
}

const young = defineWorkload({ name: 'each', version: 1, item: z.unknown(), map: fullGrownMib });

async function main(): Promise<void> {
  const processor = createProcessor({ threadUrl: new URL(import.meta.url), threads: 1, log: console.error });
  const { header, body } = await processor.process(chunkJob([1]));
  const [result] = await readResultLines(header, async (offset, length) => body.subarray(offset, offset + length));
  console.log(result);
  await processor.close();
}

if (isMainThread) await main();

// biome-ignore lint/style/noDefaultExport: a thread's file exports its function as default
export default serve(createRegistry([young]));
