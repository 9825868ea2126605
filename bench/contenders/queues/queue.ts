/** What the three baselines share: a queue with a message per item, over connections that stay open. */
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { handle, type Totals } from '../handle.ts';

/** Puts at once; Azurite takes no more a second from more of them. */
const PUTS_AT_ONCE = 16;
/** The default of 30 s may pass on a slow machine before the last of 32 has been processed, and then it comes again. */
const VISIBILITY_SECONDS = 600;

/** A queue with items in it, and what has become of them. */
export interface ItemQueue {
  client: QueueClient;
  totals: Totals;
  left: number;
  /** The last item has been processed: what comes after that is nobody's work. */
  done: PromiseWithResolvers<void>;
}

/** Makes the queue and puts a message per item. */
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

/** A message as the service gives it. */
export type Message = Awaited<ReturnType<QueueClient['receiveMessages']>>['receivedMessageItems'][number];

/** One get. */
export async function receive({ client }: ItemQueue, count: number): Promise<Message[]> {
  const options = { numberOfMessages: count, visibilityTimeout: VISIBILITY_SECONDS };
  return (await client.receiveMessages(options)).receivedMessageItems;
}

/** One handler call and one delete. */
export async function processMessage(queue: ItemQueue, { messageText, messageId, popReceipt }: Message): Promise<void> {
  handle(messageText, queue.totals);
  await queue.client.deleteMessage(messageId, popReceipt);
  queue.left -= 1;
  if (queue.left === 0) queue.done.resolve();
}
