/** Reads queue messages. An unreadable message is set aside, so that it is neither lost nor holds up others. */
import type { DequeuedMessageItem, QueueClient } from '@azure/storage-queue';
import { NewerContractError } from '../contract/errors.ts';
import { poisonQueueName } from '../contract/names.ts';
import { fitsMessage } from '../contract/reference.ts';
import { asciiJson, storableText } from '../contract/text/text.ts';
import { statusOf, toError, unlessStatus } from '../errors.ts';
import { deleteMessage } from '../storage/pop-receipt.ts';
import { log } from '../telemetry/log.ts';

/** Deliveries after which an unreadable message is moved to the poison queue. */
export const MAX_MALFORMED_DELIVERIES = 5;

/** The part of a queue client that the pipeline needs. */
export type Queue = Pick<
  QueueClient,
  'name' | 'sendMessage' | 'receiveMessages' | 'updateMessage' | 'deleteMessage' | 'getProperties' | 'create'
>;

export interface Entry<T> {
  message: DequeuedMessageItem;
  value: T;
}

/** Where unreadable messages are set aside. */
export interface Aside {
  queue: Queue;
  queues: (name: string) => Queue;
  workload: string;
}

/**
 * Parses every message with `parse`. Sets unreadable messages aside on the workload's poison queue at their fifth
 * delivery. An unreadable message does not affect the other messages of the receive.
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
  await setAside(message, error, aside, () => deleteMessage(aside.queue, messageId, message.popReceipt));
}

/**
 * Copies a message to the workload's poison queue, logs the alert, and runs `remove`. The alert comes before the deletion: a
 * crash in between repeats it, and the other order would lose it. Returns false if one of them fails: the next delivery
 * repeats all.
 */
export async function setAside(
  message: DequeuedMessageItem,
  error: Error,
  { queue, queues, workload }: Aside,
  remove?: () => Promise<void>,
): Promise<boolean> {
  const { messageId } = message;
  try {
    for (const copy of poisonCopies(message, queue.name, error))
      await putMessage(queues(poisonQueueName(workload)), copy);
    log.error('poison-message', { queue: queue.name, messageId, error });
    await remove?.();
    return true;
  } catch (failure) {
    log.warn('message-not-set-aside', { queue: queue.name, messageId, error: toError(failure) });
    return false;
  }
}

/** The error of a schema can be as long as the value that it rejects. */
const MAX_REASON_CHARS = 1_000;

/** What the poison queue keeps of an unreadable message (docs/contract/README.md): all of its text, in pieces. */
interface PoisonMessage {
  v: 1;
  queue: string;
  messageId: string;
  insertedOn: string;
  reason: string;
  /** UTF-16 units of the whole text, and the offset at which this piece begins. */
  characters: number;
  offset: number;
  text: string;
}

/**
 * Creates the copies of a message for the poison queue. Usually there is one: a text is cut only if its escapes make it
 * too long. It is wrapped as JSON, so that a text which a queue would refuse can be kept, whatever its characters.
 */
function poisonCopies(message: DequeuedMessageItem, queue: string, error: Error): PoisonMessage[] {
  const { messageId, insertedOn, messageText: text } = message;
  const reason = storableText(error.message.slice(0, MAX_REASON_CHARS));
  const from = { v: 1 as const, queue, messageId, insertedOn: insertedOn.toISOString(), reason };
  return cut({ ...from, characters: text.length, offset: 0, text });
}

function cut(copy: PoisonMessage): PoisonMessage[] {
  if (copy.text.length < 2 || fitsMessage(copy)) return [copy];
  const half = Math.ceil(copy.text.length / 2);
  const rest = { ...copy, offset: copy.offset + half, text: copy.text.slice(half) };
  return [...cut({ ...copy, text: copy.text.slice(0, half) }), ...cut(rest)];
}

/**
 * Puts a message as ASCII JSON that never expires (the service's default is seven days), invisible for `delaySeconds`.
 * Creates the queue if the first put fails because it does not exist. Returns the size of the text in bytes.
 */
export async function putMessage(queue: Queue, message: object, delaySeconds = 0): Promise<number> {
  const text = asciiJson(message);
  const options = { messageTimeToLive: -1, visibilityTimeout: Math.max(0, Math.ceil(delaySeconds)) };
  try {
    await queue.sendMessage(text, options);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    // If the queue exists, the service answers 409 (other metadata) or 204; both are a success here.
    await unlessStatus([409], queue.create());
    await queue.sendMessage(text, options);
  }
  return text.length;
}

/** Receives up to `count` (at most `MAX_RECEIVE`) messages. A queue that does not exist yet is empty. */
export async function receive(queue: Queue, count: number, visibilitySeconds: number): Promise<DequeuedMessageItem[]> {
  const options = { numberOfMessages: count, visibilityTimeout: visibilitySeconds };
  return (await unlessStatus([404], queue.receiveMessages(options)))?.receivedMessageItems ?? [];
}
