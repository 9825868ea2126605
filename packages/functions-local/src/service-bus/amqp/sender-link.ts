import type { Delivery, EventContext, Sender } from 'rhea';
import type { Broker } from '../broker/broker.ts';
import type { Lock } from '../broker/locks.ts';
import type { Consumer, DeadLetterReason, MessageQueue, Properties } from '../broker/message-queue.ts';
import type { Operation, Perform } from '../broker/operations.ts';
import type { StoredMessage } from '../broker/stored-message.ts';
import { AnswerLostError, toServiceBusError, unsupported } from '../errors.ts';
import { createLockToken, swapGuidBytes } from '../wire/lock-token.ts';
import { writeOutgoingMessage } from '../wire/outgoing-message.ts';
import {
  answerDrain,
  answerSettlement,
  creditLimit,
  dropConnection,
  isDraining,
  isWritten,
  outgoingRoom,
  writtenCount,
} from './rhea-internals.ts';

/** Options of the broker's end of a client's receiver link. */
export interface SenderLinkOptions {
  readonly broker: Broker;
  readonly queue: MessageQueue;
  readonly perform: Perform;
}

type Modified = { undeliverable_here?: boolean; message_annotations?: Properties };
type Rejected = { error?: { info?: Record<string, unknown> } };

function toReason({ error }: Rejected): DeadLetterReason {
  const { DeadLetterReason: reason, DeadLetterErrorDescription: description, ...properties } = error?.info ?? {};
  return {
    reason: reason === undefined ? undefined : String(reason),
    description: description === undefined ? undefined : String(description),
    properties,
  };
}

/** Delivers messages to a client's receiver link and processes its settlements. */
export class SenderLink implements Consumer {
  readonly mode: Consumer['mode'];
  readonly #link: Sender;
  readonly #options: SenderLinkOptions;
  /** Deliveries that are not settled. When the link closes, those that were never written return to the queue. */
  readonly #unsettled = new Map<Delivery, Lock>();
  /** Number of started deliveries. rhea reduces the credit only when it writes a delivery, which is later. */
  #started = 0;
  #attached = false;

  constructor(link: Sender, options: SenderLinkOptions) {
    this.#link = link;
    this.#options = options;
    this.mode = link.snd_settle_mode === 1 ? 'receiveAndDelete' : 'peekLock';
    link.on('accepted', (context: EventContext) => this.#settle('complete', context));
    link.on('released', (context: EventContext) => this.#settle('abandon', context));
    link.on('modified', (context: EventContext) => this.#settle('abandon', context));
    link.on('rejected', (context: EventContext) => this.#settle('deadLetter', context));
    options.queue.addConsumer(this);
    // A transfer that is queued now would be written before the attach answer.
    setImmediate(() => {
      this.#attached = true;
      this.flowed();
    });
  }

  hasCredit(): boolean {
    const open = this.#attached && this.#link.is_open();
    return open && creditLimit(this.#link) > this.#started && outgoingRoom(this.#link) > 0;
  }

  deliver(lock: Lock): void {
    this.#started++;
    this.#unsettled.set(this.#send(lock.message, swapGuidBytes(lock.token), lock.until), lock);
  }

  deliverAndDelete(message: StoredMessage): void {
    this.#started++;
    const { queue, perform } = this.#options;
    perform('receiveAndDelete', () => queue.remove(message)).then(
      () => this.#sendSettled(message),
      (error: unknown) => this.#deleteFailed(message, error),
    );
  }

  /** Checks the client's credit again, and whether it requested a drain. */
  flowed(): void {
    if (!this.#attached) return;
    this.#options.queue.dispatch();
    // Runs after the writes that the dispatch has caused.
    setImmediate(() => this.#answerDrain());
  }

  /** Closes the link. Messages that were never written are available again immediately, the others when their locks expire. */
  close(): void {
    this.#options.queue.removeConsumer(this);
    for (const [delivery, lock] of this.#unsettled) if (!isWritten(delivery)) this.#options.queue.release(lock);
    this.#unsettled.clear();
    this.#options.broker.wake();
  }

  #send(message: StoredMessage, tag: Buffer, lockedUntil?: number): Delivery {
    const annotations = lockedUntil === undefined ? {} : { lockedUntil };
    return this.#link.send(writeOutgoingMessage(message, annotations), tag, 0);
  }

  #sendSettled(message: StoredMessage): void {
    if (!this.#link.is_open()) return;
    this.#send(message, createLockToken());
    setImmediate(() => this.#answerDrain());
  }

  #deleteFailed(message: StoredMessage, error: unknown): void {
    if (message.state !== 'removed') this.#options.queue.makeAvailable(message);
    if (error instanceof AnswerLostError) dropConnection(this.#link.connection);
    else if (this.#link.is_open()) this.#link.close(toServiceBusError(error).toAmqp());
    this.close();
  }

  #answerDrain(): void {
    const link = this.#link;
    if (!link.is_open() || !isDraining(link)) return;
    // Until everything is written, the client must wait: the session window is closed or a commit is running.
    if (writtenCount(link) < this.#started) return;
    answerDrain(link);
    this.#started = writtenCount(link);
  }

  async #settle(operation: Operation, { delivery }: EventContext): Promise<void> {
    const lock = delivery && this.#unsettled.get(delivery);
    if (!lock) return;
    this.#unsettled.delete(delivery);
    try {
      await this.#options.perform(operation, () => this.#apply(operation, lock, delivery));
      if (this.#link.is_open()) answerSettlement(delivery);
    } catch (error: unknown) {
      if (error instanceof AnswerLostError) dropConnection(this.#link.connection);
      else if (this.#link.is_open()) answerSettlement(delivery, toServiceBusError(error).toAmqp());
    }
    this.#options.broker.wake();
  }

  #apply(operation: Operation, { token }: Lock, delivery: Delivery): void {
    const { queue } = this.#options;
    const state = (delivery.remote_state ?? {}) as Modified & Rejected;
    if (state.undeliverable_here) throw unsupported('Deferring messages is');
    if (operation === 'complete') queue.complete(token);
    else if (operation === 'deadLetter') queue.deadLetter(token, toReason(state));
    else queue.abandon(token, state.message_annotations);
  }
}
