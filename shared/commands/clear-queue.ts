/**
 * Clears a queue of items. First cancels the batches with pending chunks in it, so that each of their items gets an
 * outcome; then deletes the messages that are no longer needed, one by one. The operation Clear Messages would also
 * delete references of batches that are accepted in the meantime. Every step may be repeated; the sweep completes the
 * cancels of an interrupted request.
 */
import type { QueueClient } from '@azure/storage-queue';
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import { chunkRows, readBatch } from '../batches/ledger.ts';
import { openBatches } from '../batches/listing/open-rows.ts';
import { Problem } from '../errors.ts';
import { presentPause } from '../gate/gate-row.ts';
import { changeGate, readGate } from '../gate/gate-store.ts';
import type { Queue } from '../queues/messages.ts';
import { queueOf } from '../queues/queue-of.ts';
import type { Services } from '../queues/services.ts';
import type { FinalizeDeps } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { cancelBatch } from './cancel.ts';
import { MAX_CHUNKS } from './cancel-pending.ts';
import { deleteUnneeded } from './delete-unneeded.ts';

export interface ClearDeps extends FinalizeDeps, Pick<Services, 'depthOf'> {
  queues: (name: string) => Queue & Pick<QueueClient, 'clearMessages'>;
  /** Maximum number of chunks per batch that a request cancels. Defaults to that of `cancelBatch`. */
  maxChunks?: number;
}

export interface Cleared {
  batches: number;
  messages: number;
  /**
   * Messages that are left: references of batches that are being accepted, were accepted in the meantime, or are too
   * large to be cancelled by one request. If the time was up, the depth of the queue, at least 1.
   */
  left: number;
}

/**
 * Cancels the batches with pending chunks in a queue of items, and deletes its messages, until `untilMs` (service
 * time). References of batches that are accepted in the meantime stay, and so do those of batches with more chunks than
 * a request cancels: without them, the workers could not cancel the rest after the queue is resumed, and the sweep
 * alone would need days. Invisible messages (of a dead worker, or delayed retries) cannot be received. They belong to
 * cancelled batches, and the worker that receives them later deletes them.
 * @throws Problem 'conflict' for a queue of results, for one that no operator has paused, or whose drain has not ended.
 */
export async function clearQueue(deps: ClearDeps, address: QueueAddress, untilMs: number): Promise<Cleared> {
  await requireIdle(deps, address);
  const isOver = (): boolean => deps.gate.now() >= untilMs;
  const { batches, large, isWhole } = await cancelBatches(deps, address, isOver);
  const queue = deps.queues(address.queue);
  const { messages, kept, isEmpty } = isWhole
    ? await deleteUnneeded(deps, queue, { stillNeeded: large, isOver })
    : { messages: 0, kept: 0, isEmpty: false };
  const depth = await deps.depthOf(address.queue);
  const depthAt = new Date(deps.gate.now()).toISOString();
  await changeGate(deps.gate.table, address.queue, (row) => (row.depth === depth ? undefined : { depth, depthAt }));
  const cleared = { batches, messages, left: isEmpty ? kept : Math.max(1, depth) };
  log.info('queue-cleared', { queue: address.queue, ...cleared });
  return cleared;
}

async function requireIdle({ gate }: ClearDeps, { queue, kind }: QueueAddress): Promise<void> {
  if (kind === 'results')
    throw new Problem('conflict', `Queue "${queue}" holds the outcomes of finished work; it cannot be cleared.`);
  const { row } = await readGate(gate.table, queue);
  if (presentPause(row, gate.now())?.by !== 'operator')
    throw new Problem('conflict', `Queue "${queue}" is not paused by an operator; pause it, then clear it.`);
  if (row.status !== 'idle')
    throw new Problem(
      'conflict',
      `Queue "${queue}" is paused, and its drain ends after its wave; try again in a moment.`,
    );
}

/** `large`: batches with more pending chunks than one request cancels. `isWhole`: there was enough time for all. */
async function cancelBatches(
  deps: ClearDeps,
  address: QueueAddress,
  isOver: () => boolean,
): Promise<{ batches: number; large: Set<string>; isWhole: boolean }> {
  const { maxChunks = MAX_CHUNKS } = deps;
  const large = new Set<string>();
  /** Returns false if the batch has finished or was deleted in the meantime. */
  const cancel = async (id: string): Promise<boolean> => {
    try {
      const { ended } = await cancelBatch(deps, id, { limit: maxChunks, isOver });
      if (ended.chunks >= maxChunks) large.add(id);
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  };
  let batches = 0;
  const begun: string[] = [];
  // Ids are collected first, since cancelling changes the partition that is read. A batch may be open in two revisions.
  const ids = new Set<string>();
  for await (const { id, workload } of openBatches(deps.table)) if (workload === address.workload.name) ids.add(id);
  for (const id of ids) {
    if (isOver()) return { batches, large, isWhole: false };
    const row = (await readBatch(deps.table, id))?.row;
    if (row?.state === 'cancelling' && row.lane === address.lane) begun.push(id);
    else if (row && (await isToCancel(deps, row, address)) && (await cancel(id))) batches += 1;
  }
  // Cancels that were interrupted, or are too large for one request, continue. They come after the others, so that
  // repeated requests reach all batches.
  for (const id of begun) {
    if (isOver()) return { batches, large, isWhole: false };
    await cancel(id);
  }
  return { batches, large, isWhole: true };
}

async function isToCancel(deps: ClearDeps, row: BatchRow, { workload, lane, queue }: QueueAddress): Promise<boolean> {
  if (row.lane !== lane || row.state === 'enqueueing' || isFinished(row.state)) return false;
  for await (const chunk of chunkRows(deps.table, row.id, { state: 'pending' }))
    if (queueOf(workload, row, chunk.chunk) === queue) return true;
  return false;
}
