/** Baseline: a serial handler that receives one message every second. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ItemQueue, processMessage, receive } from './queue.ts';

const POLL_MS = 1_000;

/** Drains the queue. The interval alone determines the rate, not the handler. */
export async function runPoller(queue: ItemQueue): Promise<void> {
  while (queue.left > 0) {
    await sleep(POLL_MS);
    const messages = await receive(queue, 1);
    for (const message of messages) await processMessage(queue, message);
  }
}
