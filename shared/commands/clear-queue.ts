/**
 * Clearing a queue of items: first the batches with pending chunks in it are cancelled, so that each of their items
 * gets an outcome; then the messages that are not needed any more are deleted one by one. Clear Messages, one operation,
 * would also delete references of batches that are accepted meanwhile. Every step may be repeated; the sweep completes
 * the cancels of a request that was interrupted.
 */
import type { QueueClient } from '@azure/storage-queue';
import { type BatchRow, isFinished } from '../batches/batch-row.ts';
import { chunkRows, readBatch } from '../batches/ledger.ts';
import { openBatches } from '../batches/listing/open-rows.ts';
import { errorCodeOf, Problem, statusOf } from '../errors.ts';
import type { FinalizeDeps } from '../results/finalize.ts';
import { log } from '../telemetry/log.ts';
import { queueOf } from '../wake/enqueue.ts';
import { changeGate, readGate } from '../wake/gate/gate.ts';
import type { Queue } from '../wake/messages.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { cancelBatch, MAX_CHUNKS } from './cancel.ts';
import { deleteUnneeded, NOTHING_DELETED } from './delete-unneeded.ts';

export interface ClearDeps extends FinalizeDeps {
  queues: (name: string) => Queue & Pick<QueueClient, 'clearMessages'>;
  depthOf: (queue: string) => Promise<number>;
  /** Most chunks of a batch that a request cancels; default as `cancelBatch`. */
  maxChunks?: number;
}

/** What one request has cleared. */
export interface Cleared {
  /** Batches that it has cancelled. */
  batches: number;
  /** Messages that it has deleted. */
  messages: number;
  /**
   * Messages that are left: references of batches that are being accepted or were accepted meanwhile, or that are too large
   * to be cancelled by one request. If the time was up, the depth of the queue, at least 1.
   */
  left: number;
}

/**
 * Cancels the batches with pending chunks in a queue of items, and deletes its messages, until `untilMs` (service time).
 * References of batches that are accepted meanwhile stay, and of those that have more chunks than a request cancels: without
 * them, the workers could not cancel the rest after the queue is resumed, and the sweep alone would take days. Invisible
 * messages (of a worker that died, or delayed retries) cannot be received; they are of cancelled batches, and the worker that
 * receives them later deletes them.
 * @throws Problem 'conflict' for a queue of results, one that no operator has paused, or whose drain has not ended.
 */
export async function clearQueue(deps: ClearDeps, address: QueueAddress, untilMs: number): Promise<Cleared> {
  await requireIdle(deps, address);
  const isOver = (): boolean => deps.gate.now() >= untilMs;
  const { batches, large, isWhole } = await cancelBatches(deps, address, isOver);
  const queue = deps.queues(address.queue);
  const deleted = isWhole ? await deleteUnneeded(deps, queue, { stillNeeded: large, isOver }) : NOTHING_DELETED;
  const depth = await deps.depthOf(address.queue);
  const depthAt = new Date(deps.gate.now()).toISOString();
  await changeGate(deps.gate.table, address.queue, (row) => (row.depth === depth ? undefined : { depth, depthAt }));
  const { isEmpty, kept, kinds } = deleted;
  const messages = Object.values(kinds).reduce((sum, n) => sum + n, 0);
  const cleared = { batches, messages, left: isEmpty ? kept : Math.max(1, depth) };
  log.info('queue-cleared', { queue: address.queue, ...cleared, ...kinds });
  return cleared;
}

/**
 * Deletes all messages of a poison queue, on which no batch depends. The count is that of the service, which is
 * approximate.
 */
export async function clearPoisonQueue(deps: ClearDeps, queue: string, untilMs: number): Promise<Cleared> {
  const before = await deps.depthOf(queue);
  const isWhole = before === 0 || (await clearMessages(deps.queues(queue), () => deps.gate.now() >= untilMs));
  const left = isWhole ? 0 : Math.max(1, await deps.depthOf(queue));
  const cleared = { batches: 0, messages: Math.max(0, before - left), left };
  log.info('queue-cleared', { queue, ...cleared });
  return cleared;
}

/** The service times out on a large queue; the request has to be repeated (learn: clear-messages). */
async function clearMessages(queue: Pick<QueueClient, 'clearMessages'>, isOver: () => boolean): Promise<boolean> {
  for (;;) {
    try {
      await queue.clearMessages();
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return true;
      if (errorCodeOf(error) !== 'OperationTimedOut') throw error;
      if (isOver()) return false;
    }
  }
}

async function requireIdle({ gate }: ClearDeps, { queue, kind }: QueueAddress): Promise<void> {
  if (kind === 'results')
    throw new Problem('conflict', `Queue "${queue}" holds the outcomes of finished work; it cannot be cleared.`);
  const { row } = await readGate(gate.table, queue);
  if (row.paused?.by !== 'operator')
    throw new Problem('conflict', `Queue "${queue}" is not paused by an operator; pause it, then clear it.`);
  if (row.status !== 'idle')
    throw new Problem(
      'conflict',
      `Queue "${queue}" is paused, and its drain ends after its wave; try again in a moment.`,
    );
}

/** What cancelling came to. */
interface CancelledBatches {
  batches: number;
  /** Batches of which more is pending than a request cancels. */
  large: Set<string>;
  /** The time was enough for all. */
  isWhole: boolean;
}

/** Cancels the batches that have pending chunks in the queue. */
async function cancelBatches(deps: ClearDeps, address: QueueAddress, isOver: () => boolean): Promise<CancelledBatches> {
  const begun: string[] = [];
  const result: CancelledBatches = { batches: 0, large: new Set(), isWhole: false };
  // Collected first: cancelling changes the partition that is read. A batch may be open in two revisions.
  const ids = new Set<string>();
  for await (const { id, workload } of openBatches(deps.table)) if (workload === address.workload.name) ids.add(id);
  for (const id of ids) {
    if (isOver()) return result;
    const row = (await readBatch(deps.table, id))?.row;
    if (row?.state === 'cancelling' && row.lane === address.lane) begun.push(id);
    else if (row && (await isToCancel(deps, row, address)) && (await cancelled(deps, id, result))) result.batches += 1;
  }
  // After the others, so that repeated requests reach all of these. A cancel that was interrupted, or is too large for one
  // request, goes on.
  for (const id of begun) {
    if (isOver()) return result;
    await cancelled(deps, id, result);
  }
  return { ...result, isWhole: true };
}

async function isToCancel(deps: ClearDeps, row: BatchRow, { workload, lane, queue }: QueueAddress): Promise<boolean> {
  if (row.lane !== lane || row.state === 'accepting' || isFinished(row.state)) return false;
  for await (const { row: chunk } of chunkRows(deps.table, row.id, 'pending'))
    if (queueOf(workload, lane, chunk.chunk) === queue) return true;
  return false;
}

/** False when the batch came to its end, or was deleted, in the meantime. */
async function cancelled(deps: ClearDeps, id: string, { large }: CancelledBatches): Promise<boolean> {
  const { maxChunks = MAX_CHUNKS } = deps;
  try {
    const { ended } = await cancelBatch(deps, id, maxChunks);
    if (ended.chunks >= maxChunks) large.add(id);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
