import { setTimeout as sleep } from 'node:timers/promises';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';

/** A message, as it becomes visible again. */
interface RecordedQueueMessage {
  text: string;
  /** How often it was received. */
  received: number;
}
/** Messages by queue, oldest first. */
export type RecordedQueues = Record<string, RecordedQueueMessage[]>;

/** Maximum number of messages of one peek. Source: Microsoft Learn, peek-messages. */
const MAX_PEEKED = 32;
const POLL_MS = 500;
const PATIENCE_MS = 60_000;

/**
 * Reads the messages of all queues, after those that were received have become visible again.
 * @throws Error if a queue has more messages than one peek returns, or if a message stays invisible
 */
export async function exportQueues(connection: string): Promise<RecordedQueues> {
  const service = QueueServiceClient.fromConnectionString(connection);
  const queues: RecordedQueues = {};
  const until = Date.now() + PATIENCE_MS;
  for await (const { name } of service.listQueues()) {
    const queue = service.getQueueClient(name);
    let found = await peek(queue);
    while (!found.isComplete) {
      if (Date.now() > until) throw new Error(`Queue ${name}: messages stay invisible, or are over ${MAX_PEEKED}.`);
      await sleep(POLL_MS);
      found = await peek(queue);
    }
    queues[name] = found.messages;
  }
  return queues;
}

async function peek(queue: QueueClient): Promise<{ messages: RecordedQueueMessage[]; isComplete: boolean }> {
  const { peekedMessageItems } = await queue.peekMessages({ numberOfMessages: MAX_PEEKED });
  // The count includes invisible messages.
  const { approximateMessagesCount } = await queue.getProperties();
  const messages = peekedMessageItems.map(({ messageText, dequeueCount }) => ({
    text: messageText,
    received: dequeueCount,
  }));
  return { messages, isComplete: messages.length === approximateMessagesCount };
}

/** The receipt of a message. */
interface Receipt {
  messageId: string;
  popReceipt: string;
}

/** While a queue is loaded, its messages are invisible. */
const HIDDEN_SECONDS = 600;

/** Creates the queues with their messages, each received as often as it was, and then visible. */
export async function loadQueues(connection: string, queues: RecordedQueues): Promise<void> {
  const service = QueueServiceClient.fromConnectionString(connection);
  for (const [name, messages] of Object.entries(queues)) {
    const queue = service.getQueueClient(name);
    await queue.createIfNotExists();
    const hidden: (Receipt & { text: string })[] = [];
    for (const { text, received } of messages) {
      let receipt: Receipt = await queue.sendMessage(text, { visibilityTimeout: HIDDEN_SECONDS });
      for (let times = 0; times < received; times += 1) receipt = await receiveAgain(queue, text, receipt);
      hidden.push({ ...receipt, text });
    }
    for (const { messageId, popReceipt, text } of hidden) await queue.updateMessage(messageId, popReceipt, text, 0);
  }
}

/** Makes an invisible message visible and receives it; all others of its queue are invisible. */
async function receiveAgain(queue: QueueClient, text: string, { messageId, popReceipt }: Receipt): Promise<Receipt> {
  await queue.updateMessage(messageId, popReceipt, text, 0);
  const { receivedMessageItems } = await queue.receiveMessages({ visibilityTimeout: HIDDEN_SECONDS });
  const [received] = receivedMessageItems;
  if (received?.messageId !== messageId) throw new Error(`Expected to receive message ${messageId} of ${queue.name}.`);
  return received;
}
