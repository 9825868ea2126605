/** Reading queue messages: what cannot be read is set aside, never lost and never in the way. */
import type { DequeuedMessageItem, QueueClient } from '@azure/storage-queue';
import { MalformedMessageError, NewerContractError } from '../contract/errors.ts';
import { poisonQueueName } from '../contract/names.ts';
import { statusOf } from '../errors.ts';
import { deleteMessage } from '../storage/receipt.ts';
import { log } from '../telemetry/log.ts';

/** Deliveries after which a message that nobody can read goes to the poison queue. */
export const MAX_MALFORMED_DELIVERIES = 5;

/** What the pipeline needs of a queue. */
export type Queue = Pick<
  QueueClient,
  'name' | 'sendMessage' | 'receiveMessages' | 'updateMessage' | 'deleteMessage' | 'getProperties' | 'create'
>;

/** A message and what it says. */
export interface Entry<T> {
  message: DequeuedMessageItem;
  value: T;
}

/** Reads every message with `parse`; the unreadable are set aside on the workload's poison queue, in time. */
export async function readEntries<T>(
  messages: DequeuedMessageItem[],
  parse: (text: string) => T,
  aside: { queue: Queue; queues: (name: string) => Queue; workload: string },
): Promise<Entry<T>[]> {
  const entries: Entry<T>[] = [];
  for (const message of messages) {
    try {
      entries.push({ message, value: parse(message.messageText) });
    } catch (error) {
      if (error instanceof NewerContractError) log.warn('newer-contract', { queue: aside.queue.name, error });
      else if (error instanceof MalformedMessageError) await setAside(message, error, aside);
      else throw error;
    }
  }
  return entries;
}

async function setAside(
  message: DequeuedMessageItem,
  error: MalformedMessageError,
  { queue, queues, workload }: { queue: Queue; queues: (name: string) => Queue; workload: string },
): Promise<void> {
  if (message.dequeueCount < MAX_MALFORMED_DELIVERIES) return;
  await putMessage(queues(poisonQueueName(workload)), message.messageText);
  await deleteMessage(queue, message.messageId, message.popReceipt);
  log.error('poison-message', { queue: queue.name, messageId: message.messageId, error });
}

/**
 * Puts a message that never expires (the service's default is seven days), invisible for `delaySeconds`. The queue is
 * made when it is met for the first time, and never asked for before.
 */
export async function putMessage(queue: Queue, text: string, delaySeconds = 0): Promise<void> {
  const options = { messageTimeToLive: -1, visibilityTimeout: Math.max(0, Math.ceil(delaySeconds)) };
  try {
    await queue.sendMessage(text, options);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    await createQuietly(queue);
    await queue.sendMessage(text, options);
  }
}

/** A second creator gets 409 (other metadata) or 204; both mean that the queue is there. */
async function createQuietly(queue: Queue): Promise<void> {
  try {
    await queue.create();
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
  }
}

/** Receives up to `count` (at most 32) messages; a queue that does not exist yet is empty. */
export async function receive(queue: Queue, count: number, visibilitySeconds: number): Promise<DequeuedMessageItem[]> {
  try {
    const options = { numberOfMessages: count, visibilityTimeout: visibilitySeconds };
    return (await queue.receiveMessages(options)).receivedMessageItems;
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}
