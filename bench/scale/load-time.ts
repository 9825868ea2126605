import { LIMITS } from './limits.ts';
import {
  type Constants,
  chunkSeconds,
  collectorSeconds,
  type Deployment,
  drainBounds,
  type Load,
  leastOf,
  PUTS_AT_ONCE,
  ROWS,
  TARGET,
  type Work,
} from './model.ts';

/** The duration of a load, and the part of it that more instances do not reduce. */
export interface LoadTime {
  seconds: number;
  serialSeconds: number;
}

/**
 * Returns the tasks of a wave for this number of chunks: those of the policy, each with at least ten seconds of work.
 */
function tasksFor(
  work: Work,
  { tasksPerQueue, queues, cores, isWarm, activities }: Deployment,
  chunks: number,
): number {
  // Tasks that share the threads of an instance need proportionally longer for a reference.
  const sharing = isWarm ? 1 : activities;
  const perReference = (chunkSeconds(work) * sharing) / cores;
  const perQueue = chunks / queues;
  return Math.max(1, Math.min(tasksPerQueue, perQueue, Math.ceil((perQueue * perReference) / TARGET)));
}

/** Computes a single load up to its last report: Amdahl's law with the steps that only one instance can do. */
export function loadTime(load: Load, work: Work, deployment: Deployment, constants: Constants): LoadTime {
  const { batches, chunksPerBatch, withUpload = false } = load;
  const chunks = batches * chunksPerBatch;
  const limited = { ...deployment, tasksPerQueue: tasksFor(work, deployment, chunks) };
  // Chunk rows in sequential transactions, then the references.
  const enqueue = Math.max(
    chunks / LIMITS.queue.value / deployment.queues,
    chunks * deployment.latency * (1 / ROWS + 1 / PUTS_AT_ONCE),
  );
  const upload = withUpload ? chunks * work.itemsPerChunk * constants.acceptPerItem + enqueue + 2 * constants.start : 0;
  const { ledger, merge } = collectorSeconds(work, limited, constants);
  const [, chunksPerSecond] = leastOf(drainBounds(work, limited, batches));
  // A batch is merged only after its last chunk: the last batch after the drain, and no batch before the first one is
  // drained.
  const drain = chunks / chunksPerSecond;
  const drained = drain + chunksPerBatch * merge;
  const fromFirst = drain / batches + chunks * merge + (chunks - chunksPerBatch) * ledger;
  const collected = Math.max(chunks * (ledger + merge), fromFirst);
  return {
    seconds: upload + chunkSeconds(work) + Math.max(drained, collected),
    serialSeconds: upload + (drained >= collected ? chunksPerBatch * merge : chunks * (ledger + merge)),
  };
}
