import type { QueueClient } from '@azure/storage-queue';
import { errorCodeOf, statusOf } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import type { ClearDeps, Cleared } from './clear-queue.ts';

/**
 * Deletes all messages of a poison queue, on which no batch depends. The result is the count of the service, which is
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

/**
 * For a large queue the service reports a timeout, and the request has to be repeated. Source: Microsoft Learn,
 * clear-messages.
 */
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
