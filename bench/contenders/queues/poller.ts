/** Baseline: a serial handler that asks for one message each second. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ItemQueue, processMessage, receive } from './queue.ts';

const POLL_MS = 1_000;

/** Drains the queue; its rate is the interval, whatever the handler takes. */
export async function runPoller(queue: ItemQueue): Promise<void> {
  while (queue.left > 0) {
    await sleep(POLL_MS);
    const messages = await receive(queue, 1);
    for (const message of messages) await processMessage(queue, message);
  }
}
