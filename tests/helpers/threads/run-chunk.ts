/** Runs a chunk as a worker thread does, but in this thread. */
import { z } from 'zod';
import { whileFollowing } from '../../../shared/kit/calls.ts';
import { readCopy } from '../../../shared/processing/thread/outcome/copies.ts';
import { runChunk, type ThreadTools } from '../../../shared/processing/thread/run-chunk.ts';
import { countItems, readThreadStatus } from '../../../shared/processing/thread/thread-status.ts';
import type { ChunkJob, Copy, ThreadTask } from '../../../shared/processing/thread/thread-task.ts';
import { taskOf } from '../../../shared/processing/threads/process-chunk.ts';
import { defineWorkload, type ItemContext, type Workload } from '../../../shared/workload/define.ts';
import { chunkJob, readAll } from '../data/chunks.ts';

export const item = z.object({ id: z.number() });
export type Item = z.infer<typeof item>;
export type MapItem = (item: Item, context: ItemContext) => unknown;

/** A workload with three attempts and a timeout of 50 ms per item. */
export const workloadOf = (map: MapItem, options: object = {}): Workload =>
  defineWorkload({ name: 'each', version: 3, item, map, retry: { attempts: 3 }, timeoutSeconds: 0.05, ...options });

/** The clock does not advance and the jitter is in the middle, so that expected times are literals. */
export async function run(workload: Workload, job: ChunkJob, overrides: Partial<ThreadTask> = {}) {
  const task = { ...taskOf(job, 60_000), ...overrides };
  const log: string[] = [];
  const copies: Copy[] = [];
  const tools: ThreadTools = {
    clockMs: () => 0,
    random: () => 0.5,
    log: (message, position) => log.push(`${position} ${message}`),
    sendCopy: (copy) => copies.push(copy),
  };
  const outcome = await whileFollowing(task, job.stop, () => runChunk(workload, task, tools));
  return {
    ...outcome,
    ...(await readAll(outcome)),
    log,
    copies: copies.map((copy) => [...readCopy(copy)]),
    errors: copies.map(({ error }) => error),
    progress: countItems(task.statusBuffer),
    status: readThreadStatus(task.statusBuffer),
  };
}

/** A chunk of items with these ids. */
export const ids = (...list: unknown[]) => chunkJob(list.map((id) => ({ id })));
