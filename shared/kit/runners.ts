import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChunkOutcome } from '../processing/outcome/encode/encode-outcome.ts';
import { runChunk } from '../processing/thread/run-chunk.ts';
import type { ChunkJob } from '../processing/thread/thread-task.ts';
import { taskOf } from '../processing/threads/process-chunk.ts';
import { createProcessor } from '../processing/threads/processor.ts';
import { DEFAULTS } from '../settings.ts';
import type { OpenContainer } from '../workload/container.ts';
import type { Workload } from '../workload/define.ts';
import { type CallCounters, countCalls, whileFollowing } from './calls.ts';
import type { KitThreadData } from './thread.ts';

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/**
 * Returns the address of a module by its path from this folder, without extension: the build has .js where the sources
 * have .ts.
 */
export const moduleUrl = (path: string): URL => new URL(`${path}${EXTENSION}`, import.meta.url);

export interface Runner {
  run: (job: ChunkJob) => Promise<ChunkOutcome>;
  close: () => Promise<void>;
}

export interface RunnerTools {
  counters: CallCounters;
  log: (message: string) => void;
}

const BUDGET_MS = 240_000;

/** Runs chunks like a worker thread, but in this thread, and without jitter between retries. */
export function runHere(workload: Workload, container: OpenContainer, { counters, log }: RunnerTools): Runner {
  const counted = countCalls(workload, counters);
  const tools = { clockMs: () => performance.now(), random: () => 0.5, container, log };
  return {
    run: (job) => {
      const task = taskOf(job, BUDGET_MS);
      return whileFollowing(task, counted.stop, () => runChunk(counted.workload, task, tools));
    },
    close: async () => {},
  };
}

/** Runs chunks in a worker thread with the handler of `module` and the limits of `workload`. */
export function runInThreads(workload: Workload, module: URL, { counters, log }: RunnerTools): Runner {
  // Functions and schemas cannot be sent to a thread: it uses those of the module.
  const { item: _item, id: _id, map: _map, mapChunk: _mapChunk, reduce: _reduce, lane: _lane, ...limits } = workload;
  const threadData: KitThreadData = { module: module.href, limits, counters };
  const processor = createProcessor({
    threadUrl: moduleUrl('./thread'),
    threads: 1,
    maxThreadMemoryMb: Number(DEFAULTS.SLUICE_THREAD_MEMORY_MB),
    threadData,
    log,
  });
  return {
    run: (job) => processor.process(job),
    close: async () => {
      // Log lines come by another port: without a turn of the event loop, one in nine outcomes was read before its line;
      // after two turns, none of 3,000.
      for (let turns = 0; turns < 2; turns += 1) await nextTurn();
      await processor.close();
    },
  };
}
