import { queueName, resultsQueueName } from '../contract/names.ts';
import type { Workload } from './define.ts';
import { WorkloadDefinitionError } from './errors.ts';

/** A queue of the pipeline, and its properties that follow from the workload. */
export interface QueueAddress {
  queue: string;
  workload: Workload;
  lane: string;
  kind: 'items' | 'results';
}

/** All workloads of the app, and their queues. Names in requests are looked up here. */
export interface Registry {
  readonly workloads: readonly Workload[];
  /** Every container that a workload declares, without duplicates. The deployment creates them. */
  readonly containers: readonly string[];
  workload(name: string): Workload | undefined;
  /** Returns the address of a queue, or undefined if no workload has it. */
  queue(name: string): QueueAddress | undefined;
  /** Returns the queues of the workloads in `pool`, or of all workloads if it is undefined. */
  queues(pool?: string): QueueAddress[];
}

/**
 * Creates the registry of the app's workloads.
 * @throws WorkloadDefinitionError if two workloads have the same name or would share a queue
 */
export function createRegistry(workloads: readonly Workload[]): Registry {
  const byName = new Map<string, Workload>();
  const byQueue = new Map<string, QueueAddress>();
  for (const workload of workloads) {
    if (byName.has(workload.name)) throw new WorkloadDefinitionError(`Two workloads are named "${workload.name}".`);
    byName.set(workload.name, workload);
    for (const address of addresses(workload)) {
      const other = byQueue.get(address.queue);
      if (other)
        throw new WorkloadDefinitionError(
          `Workloads "${other.workload.name}" and "${workload.name}" share queue "${address.queue}".`,
        );
      byQueue.set(address.queue, address);
    }
  }
  return {
    workloads: [...workloads],
    containers: [...new Set(workloads.flatMap(({ containers }) => containers))],
    workload: (name) => byName.get(name),
    queue: (name) => byQueue.get(name),
    queues: (pool) => [...byQueue.values()].filter((address) => pool === undefined || address.workload.pool === pool),
  };
}

function addresses(workload: Workload): QueueAddress[] {
  const queueIndexes = Array.from({ length: workload.queuesPerLane }, (_, index) => index);
  const items = workload.lanes.flatMap((lane) =>
    queueIndexes.map((queueIndex) => ({
      queue: queueName(workload.name, lane, queueIndex),
      workload,
      lane,
      kind: 'items' as const,
    })),
  );
  return [...items, { queue: resultsQueueName(workload.name), workload, lane: 'results', kind: 'results' }];
}
