/** Chooses the queue of a chunk. Everything that puts, cancels or looks for a chunk's reference asks here. */
import { createHash } from 'node:crypto';
import type { BatchRow } from '../batches/batch-row.ts';
import { queueName } from '../contract/names.ts';
import type { Workload } from '../workload/define.ts';

export type QueueChoice = Pick<BatchRow, 'lane' | 'queueOffset'>;

/**
 * Computes the offset of a new batch within its lane, from 0 to 65,535. It is a hash of the id, so that batches of one
 * chunk are spread over the queues of the lane. The row stores it: a batch keeps its queues if this function changes.
 */
export const queueOffsetOf = (batch: string): number => createHash('sha256').update(batch).digest().readUInt16BE();

/**
 * Returns the queue of a chunk. It follows from the chunk's number (retries and parts have the number of their chunk) and
 * the offset of the batch (0 if its row has none), so that a resend uses the same queue as long as `queuesPerLane` is
 * unchanged.
 */
export const queueOf = (workload: Workload, batch: QueueChoice, chunk: string): string =>
  queueAt(workload, batch, Number(/\d{6}/.exec(chunk)?.[0] ?? 0));

/** Returns the queues that the references of a batch with this many chunks can be in. */
export const queuesOf = (workload: Workload, batch: QueueChoice, chunks: number): string[] =>
  Array.from({ length: Math.min(workload.queuesPerLane, Math.max(1, chunks)) }, (_, n) => queueAt(workload, batch, n));

const queueAt = ({ name, queuesPerLane }: Workload, { lane, queueOffset = 0 }: QueueChoice, n: number): string =>
  queueName(name, lane, (queueOffset + n) % queuesPerLane);
