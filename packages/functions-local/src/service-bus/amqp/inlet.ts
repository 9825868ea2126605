import type { Delivery, EventContext, Receiver } from 'rhea';
import type { Broker } from '../broker/broker.ts';
import type { Intake } from '../broker/intake.ts';
import type { Perform } from '../broker/operations.ts';
import { AnswerLostError, invalidArgument, messageTooLarge, toServiceBusError } from '../errors.ts';
import { type IncomingMessage, readIncomingBatch, readIncomingMessage } from '../wire/incoming-message.ts';
import { answerTransfer, dropConnection } from './rhea-internals.ts';

/** The limit of the Standard tier for a message and for a batch. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

const BATCH_FORMAT = 0x80013700;

/** Messages a sender may have under way; well below the 2048 that a session can hold. */
const CREDIT = 1000;
const REPLENISH = 250;

/** What the sending link of a client needs. */
export interface InletOptions {
  readonly broker: Broker;
  readonly intake: Intake;
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

/** Takes in what a client sends over a link; a message is accepted when it is committed. */
export function serveInlet(link: Receiver, { broker, intake, perform }: InletOptions): void {
  let answered = 0;
  const answer = (delivery: Delivery, error?: unknown) => {
    if (error instanceof AnswerLostError) dropConnection(link.connection);
    if (error instanceof AnswerLostError || !link.is_open()) return;
    answerTransfer(delivery, error === undefined ? undefined : toServiceBusError(error).toAmqp());
    if (++answered % REPLENISH === 0) link.add_credit(REPLENISH);
  };
  const receive = async (bytes: Buffer, format: unknown) => {
    const messages = readMessages(bytes, format);
    await perform('send', () => intake.accept(messages, broker.now()));
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
