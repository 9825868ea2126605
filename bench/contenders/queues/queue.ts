/** The common code of the three baselines: a queue with one message per item, over connections that stay open. */
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { handle, type Totals } from '../handle.ts';

/** Concurrent puts. More of them do not increase Azurite's rate. */
const PUTS_AT_ONCE = 16;
/**
 * With the default of 30 s, the last of 32 messages could become visible again on a slow machine before it is
 * processed.
 */
const VISIBILITY_SECONDS = 600;

/** A queue with items in it, and the number of items left. */
export interface ItemQueue {
  client: QueueClient;
  totals: Totals;
  left: number;
  /** Resolved when the last item has been processed. Nothing waits for receives after that. */
  done: PromiseWithResolvers<void>;
}

/** Creates the queue and puts one message per item. */
export async function fillQueue(storage: string, name: string, lines: readonly string[]): Promise<ItemQueue> {
  const client = QueueServiceClient.fromConnectionString(storage).getQueueClient(name);
  await client.createIfNotExists();
  let next = 0;
  const put = async (): Promise<void> => {
    for (let index = next++; index < lines.length; index = next++) await client.sendMessage(lines[index] ?? '');
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, put));
  return { client, totals: new Map(), left: lines.length, done: Promise.withResolvers() };
}

/** A message as the service returns it. */
export type Message = Awaited<ReturnType<QueueClient['receiveMessages']>>['receivedMessageItems'][number];

/** Receives messages once. */
export async function receive({ client }: ItemQueue, count: number): Promise<Message[]> {
  const options = { numberOfMessages: count, visibilityTimeout: VISIBILITY_SECONDS };
  return (await client.receiveMessages(options)).receivedMessageItems;
}

/** Calls the handler once and deletes the message. */
export async function processMessage(queue: ItemQueue, { messageText, messageId, popReceipt }: Message): Promise<void> {
  handle(messageText, queue.totals);
  await queue.client.deleteMessage(messageId, popReceipt);
  queue.left -= 1;
  if (queue.left === 0) queue.done.resolve();
}
