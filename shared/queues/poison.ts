import type { DequeuedMessageItem } from '@azure/storage-queue';
import { fitsMessage } from '../contract/reference.ts';
import { storableText } from '../contract/text/text.ts';

/** The error of a schema can be as long as the value that it rejects. */
const MAX_REASON_CHARS = 1_000;

/** What the poison queue keeps of an unreadable message (docs/contract/README.md): all of its text, in pieces. */
export interface PoisonMessage {
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
export function poisonCopies(message: DequeuedMessageItem, queue: string, error: Error): PoisonMessage[] {
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
