/**
 * Baseline: the algorithm of the Functions queue trigger with its defaults. It receives up to 16 messages, calls the
 * handler for all of them at the same time, and receives again when 8 or fewer are running. The host around it, which
 * would only cost more, is omitted. Source:
 * learn.microsoft.com/azure/azure-functions/functions-bindings-storage-queue (host.json settings).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ItemQueue, processMessage, receive } from './queue.ts';

const BATCH_SIZE = 16;
const NEW_BATCH_THRESHOLD = 8;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 60_000;

/** Drains the queue. */
export async function runQueueTrigger(queue: ItemQueue): Promise<void> {
  const running = new Set<Promise<void>>();
  for (let waitMs = MIN_POLL_MS; queue.left > 0; ) {
    const messages = await receive(queue, BATCH_SIZE);
    for (const message of messages) {
      const call = processMessage(queue, message).finally(() => running.delete(call));
      running.add(call);
    }
    while (running.size > NEW_BATCH_THRESHOLD) await Promise.race(running);
    if (messages.length > 0) waitMs = MIN_POLL_MS;
    else if (running.size > 0) await Promise.race(running);
    else {
      await sleep(waitMs);
      waitMs = Math.min(waitMs * 2, MAX_POLL_MS);
    }
  }
  await Promise.all(running);
}
