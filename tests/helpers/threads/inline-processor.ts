import { whileFollowing } from '../../../shared/kit/calls.ts';
import { runChunk, type ThreadTools } from '../../../shared/processing/thread/run-chunk.ts';
import { taskOf } from '../../../shared/processing/threads/process-chunk.ts';
import type { Processor } from '../../../shared/processing/threads/processor.ts';
import type { Registry } from '../../../shared/workload/registry.ts';

const BUDGET_MS = 60_000;

const tools: ThreadTools = {
  clockMs: () => performance.now(),
  random: () => 0,
  log: () => undefined,
  container: () => {
    throw new Error('Workloads that run in this thread have no containers.');
  },
};

/** Runs the chunks of `registry`'s workloads in this thread. */
export const createInlineProcessor = (registry: Registry): Pick<Processor, 'process' | 'threads'> => ({
  threads: 2,
  process: (job) => {
    const workload = registry.workload(job.reference.workload);
    if (!workload) throw new Error(`There is no workload ${job.reference.workload}.`);
    const task = taskOf(job, BUDGET_MS);
    return whileFollowing(task, job.stop, () => runChunk(workload, task, tools));
  },
});
