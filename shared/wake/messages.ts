/** Reading queue messages: what cannot be read is set aside, never lost and never in the way. */
import type { DequeuedMessageItem, QueueClient } from '@azure/storage-queue';
import { NewerContractError } from '../contract/errors.ts';
import { poisonQueueName } from '../contract/names.ts';
import { asciiJson } from '../contract/text/text.ts';
import { statusOf, toError } from '../errors.ts';
import { deleteMessage } from '../storage/pop-receipt.ts';
import { log } from '../telemetry/log.ts';
import { poisonCopies } from './poison.ts';

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

/** Where messages that nobody can read are set aside. */
export interface Aside {
  queue: Queue;
  queues: (name: string) => Queue;
  workload: string;
}

/**
 * Reads every message with `parse`. Those that cannot be read are set aside on the workload's poison queue at their
 * fifth delivery; whatever is wrong with one message, the others of its receive are read.
 */
export async function readEntries<T>(
  messages: DequeuedMessageItem[],
  parse: (text: string) => T,
  aside: Aside,
): Promise<Entry<T>[]> {
  const entries: Entry<T>[] = [];
  for (const message of messages) {
    try {
      entries.push({ message, value: parse(message.messageText) });
    } catch (error) {
      await leave(message, toError(error), aside);
    }
  }
  return entries;
}

async function leave(message: DequeuedMessageItem, error: Error, aside: Aside): Promise<void> {
  const { name: queue } = aside.queue;
  const { messageId, dequeueCount: delivery } = message;
  if (error instanceof NewerContractError) return log.warn('newer-contract', { queue, error });
  if (delivery < MAX_MALFORMED_DELIVERIES) return log.warn('message-unreadable', { queue, messageId, delivery, error });
  try {
    await setAside(message, error, aside);
  } catch (failure) {
    // It is delivered again, and set aside then.
    log.warn('message-not-set-aside', { queue, messageId, error: toError(failure) });
  }
}

/** The alert before the deletion: a crash between them repeats it, and the other way round would lose it. */
async function setAside(message: DequeuedMessageItem, error: Error, aside: Aside): Promise<void> {
  await copyAside(message, error, aside);
  await deleteMessage(aside.queue, message.messageId, message.popReceipt);
}

/** Copies a message to the workload's poison queue, with the alert; its caller deletes it then. */
export async function copyAside(
  message: DequeuedMessageItem,
  error: Error,
  { queue, queues, workload }: Aside,
): Promise<void> {
  for (const copy of poisonCopies(message, queue.name, error))
    await putMessage(queues(poisonQueueName(workload)), copy);
  log.error('poison-message', { queue: queue.name, messageId: message.messageId, error });
}

/**
 * Puts a message, as ASCII JSON, that never expires (the service's default is seven days), invisible for `delaySeconds`.
 * The queue is created when the first put fails for lack of it. Returns the bytes of the text.
 */
export async function putMessage(queue: Queue, message: object, delaySeconds = 0): Promise<number> {
  const text = asciiJson(message);
  const options = { messageTimeToLive: -1, visibilityTimeout: Math.max(0, Math.ceil(delaySeconds)) };
  try {
    await queue.sendMessage(text, options);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    await createQuietly(queue);
    await queue.sendMessage(text, options);
  }
  return text.length;
}

/** A second creator gets 409 (other metadata) or 204; both mean that the queue is there. */
async function createQuietly(queue: Queue): Promise<void> {
  try {
    await queue.create();
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
  }
}

/** Receives up to `count` (at most `MAX_RECEIVE`) messages; a queue that does not exist yet is empty. */
export async function receive(queue: Queue, count: number, visibilitySeconds: number): Promise<DequeuedMessageItem[]> {
  try {
    const options = { numberOfMessages: count, visibilityTimeout: visibilitySeconds };
    return (await queue.receiveMessages(options)).receivedMessageItems;
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}
