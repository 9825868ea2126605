import { runChunk } from '../../shared/processing/thread/run-chunk.ts';
import type { ChunkJob, ChunkOutcome } from '../../shared/processing/thread/thread-task.ts';
import { taskOf } from '../../shared/processing/thread-pool/process-chunk.ts';
import { createProcessor } from '../../shared/processing/thread-pool/processor.ts';
import type { OpenContainer } from '../../shared/workload/container.ts';
import type { Workload } from '../../shared/workload/define.ts';

/** Something that runs chunks. */
export interface Runner {
  run: (job: ChunkJob) => Promise<ChunkOutcome>;
  close: () => Promise<void>;
}

const BUDGET_MS = 240_000;

/** Runs chunks as a worker thread does, in this one; retries are spread by nothing. */
export const runHere = (workload: Workload, container: OpenContainer, log: string[]): Runner => ({
  run: (job) => {
    const tools = { clockMs: () => performance.now(), random: () => 0.5, container };
    return runChunk(workload, taskOf(job, BUDGET_MS), { ...tools, log: (message) => log.push(message) });
  },
  close: async () => {},
});

/** Runs chunks in a worker thread that has the app's own workloads. */
export function runInThreads(log: string[]): Runner {
  const processor = createProcessor({
    threadUrl: new URL('../../workloads/thread.ts', import.meta.url),
    threads: 1,
    log: (message) => log.push(message),
  });
  return { run: (job) => processor.process(job), close: () => processor.close() };
}
