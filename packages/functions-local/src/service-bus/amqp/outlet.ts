import type { Delivery, EventContext, Sender } from 'rhea';
import type { Broker } from '../broker/broker.ts';
import type { Lock } from '../broker/locks.ts';
import type { Consumer, DeadLetterReason, Mailbox, Properties } from '../broker/mailbox.ts';
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

/** What the receiving link of a client needs. */
export interface OutletOptions {
  readonly broker: Broker;
  readonly mailbox: Mailbox;
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

/** Gives messages to the receiving link of a client and takes its settlements. */
export class Outlet implements Consumer {
  readonly mode: Consumer['mode'];
  readonly #link: Sender;
  readonly #options: OutletOptions;
  /** Deliveries not yet settled. When the link closes, those that were never sent return to the queue. */
  readonly #unsettled = new Map<Delivery, Lock>();
  /** Deliveries started so far. rhea takes credit off only when it writes, which is later. */
  #started = 0;
  #attached = false;

  constructor(link: Sender, options: OutletOptions) {
    this.#link = link;
    this.#options = options;
    this.mode = link.snd_settle_mode === 1 ? 'receiveAndDelete' : 'peekLock';
    link.on('accepted', (context: EventContext) => this.#settle('complete', context));
    link.on('released', (context: EventContext) => this.#settle('abandon', context));
    link.on('modified', (context: EventContext) => this.#settle('abandon', context));
    link.on('rejected', (context: EventContext) => this.#settle('deadLetter', context));
    options.mailbox.join(this);
    // A transfer queued now would be written before the answer to the attach.
    setImmediate(() => {
      this.#attached = true;
      this.flowed();
    });
  }

  wantsMore(): boolean {
    const open = this.#attached && this.#link.is_open();
    return open && creditLimit(this.#link) > this.#started && outgoingRoom(this.#link) > 0;
  }

  deliver(lock: Lock): void {
    this.#started++;
    this.#unsettled.set(this.#send(lock.message, swapGuidBytes(lock.token), lock.until), lock);
  }

  hand(message: StoredMessage): void {
    this.#started++;
    const { mailbox, perform } = this.#options;
    perform('receiveAndDelete', () => mailbox.remove(message)).then(
      () => this.#passOn(message),
      (error: unknown) => this.#handFailed(message, error),
    );
  }

  /** Looks at the client's credit again, and at the drain it may have asked for. */
  flowed(): void {
    if (!this.#attached) return;
    this.#options.mailbox.pump();
    // After the writes that the pump has caused.
    setImmediate(() => this.#answerDrain());
  }

  /** Ends it; messages that never left are available again, the others when their locks expire. */
  close(): void {
    this.#options.mailbox.leave(this);
    for (const [delivery, lock] of this.#unsettled) if (!isWritten(delivery)) this.#options.mailbox.release(lock);
    this.#unsettled.clear();
    this.#options.broker.wake();
  }

  #send(message: StoredMessage, tag: Buffer, lockedUntil?: number): Delivery {
    const facts = lockedUntil === undefined ? {} : { lockedUntil };
    return this.#link.send(writeOutgoingMessage(message, facts), tag, 0);
  }

  #passOn(message: StoredMessage): void {
    if (!this.#link.is_open()) return;
    this.#send(message, createLockToken());
    setImmediate(() => this.#answerDrain());
  }

  #handFailed(message: StoredMessage, error: unknown): void {
    if (message.state !== 'gone') this.#options.mailbox.giveBack(message);
    if (error instanceof AnswerLostError) dropConnection(this.#link.connection);
    else if (this.#link.is_open()) this.#link.close(toServiceBusError(error).toAmqp());
    this.close();
  }

  #answerDrain(): void {
    const link = this.#link;
    if (!link.is_open() || !isDraining(link)) return;
    // Until everything is written, because the window is closed or a commit is under way, the client has to wait.
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
    const { mailbox } = this.#options;
    const state = (delivery.remote_state ?? {}) as Modified & Rejected;
    if (state.undeliverable_here) throw unsupported('Deferring messages is');
    if (operation === 'complete') mailbox.complete(token);
    else if (operation === 'deadLetter') mailbox.deadLetter(token, toReason(state));
    else mailbox.abandon(token, state.message_annotations);
  }
}
