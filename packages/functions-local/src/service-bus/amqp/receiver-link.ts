import type { Delivery, EventContext, Receiver } from 'rhea';
import type { Broker } from '../broker/broker.ts';
import type { Perform } from '../broker/operations.ts';
import type { SendTarget } from '../broker/send-target.ts';
import { AnswerLostError, invalidArgument, messageTooLarge, toServiceBusError } from '../errors.ts';
import { type IncomingMessage, readIncomingBatch, readIncomingMessage } from '../wire/incoming-message.ts';
import { answerTransfer, dropConnection } from './rhea-internals.ts';

/** The limit of the Standard tier for a message and for a batch. Source: Microsoft Learn, service-bus-quotas. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

const BATCH_FORMAT = 0x80013700;

/** Link credit of a sending client, well below the 2048 deliveries that a session can hold. */
const CREDIT = 1000;
const REPLENISH = 250;

/** Options of the broker's end of a client's sender link. */
export interface ReceiverLinkOptions {
  readonly broker: Broker;
  readonly sendTarget: SendTarget;
  readonly perform: Perform;
}

function readMessages(bytes: Buffer, format: unknown): IncomingMessage[] {
  if (bytes.length > MAX_MESSAGE_BYTES) throw messageTooLarge(bytes.length, MAX_MESSAGE_BYTES);
  try {
    return format === BATCH_FORMAT ? readIncomingBatch(bytes) : [readIncomingMessage(bytes)];
  } catch (error: unknown) {
    throw invalidArgument(`The message cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Stores the messages that a client sends on a link. A message is accepted after its transaction is committed. */
export function serveReceiverLink(link: Receiver, { broker, sendTarget, perform }: ReceiverLinkOptions): void {
  let answered = 0;
  const answer = (delivery: Delivery, error?: unknown) => {
    if (error instanceof AnswerLostError) dropConnection(link.connection);
    if (error instanceof AnswerLostError || !link.is_open()) return;
    answerTransfer(delivery, error === undefined ? undefined : toServiceBusError(error).toAmqp());
    if (++answered % REPLENISH === 0) link.add_credit(REPLENISH);
  };
  const receive = async (bytes: Buffer, format: unknown) => {
    const messages = readMessages(bytes, format);
    await perform('send', () => sendTarget.accept(messages, broker.now()));
    broker.wake();
  };
  link.on('message', ({ message, delivery, ...context }: EventContext & { format?: number }) => {
    if (!delivery) return;
    receive(message as unknown as Buffer, context.format).then(
      () => answer(delivery),
      (error: unknown) => answer(delivery, error),
    );
  });
  link.add_credit(CREDIT);
}
