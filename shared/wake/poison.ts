import type { DequeuedMessageItem } from '@azure/storage-queue';
import { fitsMessage } from '../contract/reference.ts';
import { storableText } from '../contract/text/text.ts';

/** A schema's complaints can be as long as what it complains about. */
const MAX_REASON_CHARS = 1_000;

/** What the poison queue keeps of a message that nobody can read (docs/contract/README.md): all of its text, in pieces. */
export interface PoisonMessage {
  v: 1;
  queue: string;
  messageId: string;
  insertedOn: string;
  reason: string;
  /** UTF-16 units of the whole text, and where this piece of it begins. */
  characters: number;
  offset: number;
  text: string;
}

/**
 * The copies of a message for the poison queue. Usually one: only a text that grows by its escapes is cut. Wrapped as
 * JSON, so that a text which no queue would take back can be kept, whatever is in it.
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
