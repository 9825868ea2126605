import { isFinished } from '../../batches/batch-row.ts';
import { pendingOf, type WatchedBatch } from '../../batches/watch/read-open-batches.ts';
import { queueOffsetOf, queuesOf } from '../../queues/queue-of.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import type { QueueView } from './schemas.ts';

export type Backlog = NonNullable<QueueView['backlog']>;
const NO_BACKLOG: Backlog = { batches: 0, items: 0 };

/**
 * Sums the open batches by queue. Chunks are distributed one by one over the queues of a lane, so a batch counts in as many
 * queues as it has chunks, and its pending items are divided evenly: only the chunk rows show which chunks are left.
 */
export function backlogs(registry: Registry, all: readonly WatchedBatch[]): Map<string, Backlog> {
  const sums = new Map<string, Backlog>();
  for (const batch of all) {
    const lane = batch.row?.lane ?? batch.lane;
    const workload = registry.workload(batch.workload);
    if (workload === undefined || !isWaiting(batch)) continue;
    const pending = pendingOf(batch);
    const queueOffset = batch.row ? batch.row.queueOffset : queueOffsetOf(batch.id);
    const queues = queuesOf(workload, { lane, queueOffset }, batch.chunks);
    for (const [n, queue] of queues.entries()) {
      const items = Math.floor((pending * (n + 1)) / queues.length) - Math.floor((pending * n) / queues.length);
      const { batches, items: before } = sums.get(queue) ?? NO_BACKLOG;
      sums.set(queue, { batches: batches + 1, items: before + items });
    }
  }
  return sums;
}

/** Whether an open batch still has items to run. An open batch may have finished without being closed yet. */
export const isWaiting = ({ row, items }: WatchedBatch): boolean => (row ? !isFinished(row.state) : items !== 0);

/** The backlog of a queue; null for a result queue, which belongs to no lane. */
export const backlogOf = ({ kind, queue }: QueueAddress, sums: ReadonlyMap<string, Backlog>): Backlog | null =>
  kind === 'results' ? null : (sums.get(queue) ?? NO_BACKLOG);
