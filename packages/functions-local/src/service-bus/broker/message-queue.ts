import type { QueueSettings } from '../config/parse-config.ts';
import { unsupported } from '../errors.ts';
import { mergeApplicationProperties } from '../wire/outgoing-message.ts';
import { type Lock, Locks } from './locks.ts';
import { ReadyQueue } from './ready-queue.ts';
import type { Store } from './store.ts';
import type { Draft, StoredMessage } from './stored-message.ts';

/** A receiver of the messages of a queue. */
export interface Consumer {
  readonly mode: 'peekLock' | 'receiveAndDelete';
  /** Whether it can accept another message now. */
  hasCredit(): boolean;
  /** Delivers a locked message. */
  deliver(lock: Lock): void;
  /** Delivers a message in receive-and-delete mode. The consumer deletes it before it sends it. */
  deliverAndDelete(message: StoredMessage): void;
}

/** Properties of a settlement. */
export type Properties = Readonly<Record<string, unknown>>;

/** Why a message was dead-lettered. */
export interface DeadLetterReason {
  readonly reason: string | undefined;
  readonly description: string | undefined;
  readonly properties?: Properties;
}

/** Options of a message queue. */
export interface MessageQueueOptions {
  readonly path: string;
  readonly settings: QueueSettings;
  readonly store: Store;
  readonly now: () => number;
  /** Requests a call of `processExpirations` at a time. */
  readonly wakeAt: (time: number) => void;
  /** A queue keeps the sequence numbers of its send target. A subscription assigns its own. */
  readonly keepsSequence?: boolean;
  /** Absent for a dead-letter queue, which therefore has no maximum delivery count. */
  readonly deadLetters?: MessageQueue;
}

/** A queue, the virtual queue of a subscription, or a dead-letter queue: stores, locks and delivers messages. */
export class MessageQueue {
  readonly path: string;
  readonly deadLetters: MessageQueue | undefined;
  readonly #options: MessageQueueOptions;
  readonly #messages = new Map<number, StoredMessage>();
  readonly #ready = new ReadyQueue();
  readonly #locks = new Locks();
  readonly #consumers: Consumer[] = [];
  #earliestExpiry = Number.POSITIVE_INFINITY;

  constructor(options: MessageQueueOptions) {
    this.path = options.path;
    this.deadLetters = options.deadLetters;
    this.#options = options;
    for (const message of options.store.loadMessages(this.#entity)) this.#put(message);
  }

  /** The number of messages, including locked ones. */
  get size(): number {
    return this.#messages.size;
  }

  /** Adds a new message. */
  add(draft: Draft): void {
    const { store, settings, keepsSequence } = this.#options;
    const ttlMs = Math.min(draft.ttlMs ?? Number.POSITIVE_INFINITY, settings.defaultTtlMs ?? Number.POSITIVE_INFINITY);
    const limited = Number.isFinite(ttlMs);
    const sequence = keepsSequence ? draft.sequence : store.nextSequence(this.#entity);
    const expiresAt = limited ? draft.enqueuedAt + ttlMs : undefined;
    this.#put(
      store.insert(this.#entity, { ...draft, sequence, ttlMs: limited ? ttlMs : undefined, expiresAt, deliveries: 0 }),
    );
  }

  /** Adds a dead-lettered message of the entity to its dead-letter queue. */
  addDeadLetter(message: StoredMessage): void {
    this.#put(this.#options.store.insert(this.#entity, { ...message, ttlMs: undefined, expiresAt: undefined }));
  }

  /** Delivers available messages to the consumers with credit, in rotation. */
  dispatch(): void {
    for (;;) {
      const message = this.#nextUnexpired();
      const consumer = message && this.#nextConsumer();
      if (!consumer) return;
      this.#ready.take();
      message.state = 'delivered';
      if (consumer.mode === 'peekLock') consumer.deliver(this.#lock(message));
      else consumer.deliverAndDelete(message);
    }
  }

  /** Adds a consumer. */
  addConsumer(consumer: Consumer): void {
    this.#consumers.push(consumer);
  }

  /** Removes a consumer. Its locked messages stay locked. */
  removeConsumer(consumer: Consumer): void {
    const index = this.#consumers.indexOf(consumer);
    if (index >= 0) this.#consumers.splice(index, 1);
  }

  /** Settles a locked message by deleting it. Throws lock-lost. */
  complete(token: Buffer): void {
    const lock = this.#locks.get(token, this.#options.now());
    this.#locks.remove(lock);
    this.remove(lock.message);
  }

  /** Makes a locked message available again and counts the delivery as failed. Throws lock-lost. */
  abandon(token: Buffer, properties: Properties = {}): void {
    const lock = this.#locks.get(token, this.#options.now());
    lock.message.bare = mergeApplicationProperties(lock.message.bare, properties);
    this.#locks.remove(lock);
    this.#countFailedDelivery(lock.message);
  }

  /** Moves a locked message to the dead-letter queue. Throws lock-lost. */
  deadLetter(token: Buffer, why: DeadLetterReason): void {
    const lock = this.#locks.get(token, this.#options.now());
    if (!this.deadLetters) throw unsupported('Dead-lettering from a dead-letter queue is');
    this.#deadLetter(lock.message, why);
    this.#locks.remove(lock);
  }

  /** Renews a lock. Returns its new expiry. Throws lock-lost. */
  renew(token: Buffer): number {
    const { now, settings } = this.#options;
    const lock = this.#locks.get(token, now());
    this.#locks.remove(lock);
    return this.#locks.add(lock.message, now() + settings.lockMs, token).until;
  }

  /** Releases the lock of a message that was never sent. The delivery count does not change. */
  release(lock: Lock): void {
    if (this.#locks.remove(lock)) this.makeAvailable(lock.message);
  }

  /** Makes a delivered message available again. */
  makeAvailable(message: StoredMessage): void {
    message.state = 'ready';
    this.#ready.push(message);
    if (message.expiresAt !== undefined) this.#expireAt(message.expiresAt);
  }

  /** Deletes a message. */
  remove(message: StoredMessage): void {
    message.state = 'removed';
    this.#messages.delete(message.sequence);
    this.#options.store.remove(message);
  }

  /** Returns all messages, including locked ones. */
  messages(): Iterable<StoredMessage> {
    return this.#messages.values();
  }

  /** Makes messages with expired locks available again, and removes expired messages. */
  processExpirations(): void {
    const now = this.#options.now();
    for (const { message } of this.#locks.takeExpired(now)) this.#countFailedDelivery(message);
    if (this.#earliestExpiry <= now) this.#expire(now);
    this.#options.wakeAt(Math.min(this.#locks.earliest, this.#earliestExpiry));
  }

  get #entity(): string {
    return this.path.toLowerCase();
  }

  #put(message: StoredMessage): void {
    this.#messages.set(message.sequence, message);
    this.makeAvailable(message);
  }

  #expireAt(time: number): void {
    this.#earliestExpiry = Math.min(this.#earliestExpiry, time);
    this.#options.wakeAt(time);
  }

  #nextUnexpired(): StoredMessage | undefined {
    const now = this.#options.now();
    for (;;) {
      const message = this.#ready.peek();
      if (!message || (message.expiresAt ?? now + 1) > now) return message;
      this.#expireOne(message);
    }
  }

  #nextConsumer(): Consumer | undefined {
    const index = this.#consumers.findIndex((consumer) => consumer.hasCredit());
    const [consumer] = index < 0 ? [] : this.#consumers.splice(index, 1);
    if (consumer) this.#consumers.push(consumer);
    return consumer;
  }

  #lock(message: StoredMessage): Lock {
    const { now, settings, wakeAt } = this.#options;
    const lock = this.#locks.add(message, now() + settings.lockMs);
    wakeAt(lock.until);
    return lock;
  }

  #countFailedDelivery(message: StoredMessage): void {
    message.deliveries++;
    const { settings, store } = this.#options;
    if (this.deadLetters && message.deliveries >= settings.maxDeliveryCount) {
      const description = `Message could not be consumed after ${message.deliveries} delivery attempts.`;
      this.#deadLetter(message, { reason: 'MaxDeliveryCountExceeded', description });
      return;
    }
    store.update(message);
    this.makeAvailable(message);
  }

  #deadLetter(message: StoredMessage, { reason, description, properties }: DeadLetterReason): void {
    const added = {
      ...properties,
      ...(reason === undefined ? {} : { DeadLetterReason: reason }),
      ...(description === undefined ? {} : { DeadLetterErrorDescription: description }),
    };
    const bare = mergeApplicationProperties(message.bare, added);
    this.remove(message);
    this.deadLetters?.addDeadLetter({ ...message, bare });
  }

  #expire(now: number): void {
    const waiting = [...this.#messages.values()].filter(({ state }) => state === 'ready');
    this.#earliestExpiry = Number.POSITIVE_INFINITY;
    for (const message of waiting) {
      if (message.expiresAt === undefined) continue;
      if (message.expiresAt <= now) this.#expireOne(message);
      else this.#earliestExpiry = Math.min(this.#earliestExpiry, message.expiresAt);
    }
  }

  #expireOne(message: StoredMessage): void {
    const description = 'The message expired and was dead lettered.';
    const keep = this.#options.settings.deadLetterOnExpiration && this.deadLetters;
    if (keep) this.#deadLetter(message, { reason: 'TTLExpiredException', description });
    else this.remove(message);
  }
}
