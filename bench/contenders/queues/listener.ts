/**
 * Baseline: the queue listener of the white paper. A dequeue task receives 32 messages, processes and deletes each, and
 * repeats.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../../shared/drain/backoff.ts';
import { type ItemQueue, processMessage, receive } from './queue.ts';

const MESSAGES_PER_RECEIVE = 32;

/** Drains the queue with `count` tasks; the paper's rule gives 10, 50 or 100, by the depth. */
export async function runListener(queue: ItemQueue, count: number): Promise<void> {
  const tasks = Array.from({ length: count }, () => dequeueTask(queue));
  await Promise.race([queue.done.promise, Promise.all(tasks)]);
}

async function dequeueTask(queue: ItemQueue): Promise<void> {
  for (let idle = 0; queue.left > 0; ) {
    const messages = await receive(queue, MESSAGES_PER_RECEIVE);
    idle = messages.length === 0 ? idle + 1 : 0;
    for (const message of messages) await processMessage(queue, message);
    if (idle > 0 && queue.left > 0) await sleep(backoffMs(idle, Math.random()));
  }
}
