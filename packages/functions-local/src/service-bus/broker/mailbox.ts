import type { MailboxSettings } from '../config/parse-config.ts';
import { unsupported } from '../errors.ts';
import { mergeApplicationProperties } from '../wire/outgoing-message.ts';
import { type Lock, Locks } from './locks.ts';
import { ReadyQueue } from './ready-queue.ts';
import type { Store } from './store.ts';
import type { Draft, StoredMessage } from './stored-message.ts';

/** Somebody who takes messages from a mailbox. */
export interface Consumer {
  readonly mode: 'peekLock' | 'receiveAndDelete';
  /** Whether it can be given another message right now. */
  wantsMore(): boolean;
  /** Takes a locked message. */
  deliver(lock: Lock): void;
  /** Takes a message that is still stored: the consumer removes it before it passes it on. */
  hand(message: StoredMessage): void;
}

/** Properties as they come with a settlement. */
export type Properties = Readonly<Record<string, unknown>>;

/** Why a message went to the dead-letter queue. */
export interface DeadLetterReason {
  readonly reason: string | undefined;
  readonly description: string | undefined;
  readonly properties?: Properties;
}

/** What a mailbox needs. */
export interface MailboxOptions {
  readonly path: string;
  readonly settings: MailboxSettings;
  readonly store: Store;
  readonly now: () => number;
  /** Asks for a call of `advance` at a time. */
  readonly wakeAt: (time: number) => void;
  /** A queue keeps the number given at its intake; a subscription numbers its messages itself. */
  readonly keepsSequence?: boolean;
  /** Missing on a dead-letter queue, which therefore has no delivery limit. */
  readonly deadLetters?: Mailbox;
}

/** The receiving side of a queue, a subscription or a dead-letter queue. */
export class Mailbox {
  readonly path: string;
  readonly deadLetters: Mailbox | undefined;
  readonly #options: MailboxOptions;
  readonly #messages = new Map<number, StoredMessage>();
  readonly #ready = new ReadyQueue();
  readonly #locks = new Locks();
  readonly #consumers: Consumer[] = [];
  #earliestExpiry = Number.POSITIVE_INFINITY;

  constructor(options: MailboxOptions) {
    this.path = options.path;
    this.deadLetters = options.deadLetters;
    this.#options = options;
    for (const message of options.store.loadMessages(this.#entity)) this.#hold(message);
  }

  /** How many messages there are, locked ones included. */
  get size(): number {
    return this.#messages.size;
  }

  /** Stores a new message. */
  add(draft: Draft): void {
    const { store, settings, keepsSequence } = this.#options;
    const ttlMs = Math.min(draft.ttlMs ?? Number.POSITIVE_INFINITY, settings.defaultTtlMs ?? Number.POSITIVE_INFINITY);
    const limited = Number.isFinite(ttlMs);
    const sequence = keepsSequence ? draft.sequence : store.nextSequence(this.#entity);
    const expiresAt = limited ? draft.enqueuedAt + ttlMs : undefined;
    this.#hold(
      store.insert(this.#entity, { ...draft, sequence, ttlMs: limited ? ttlMs : undefined, expiresAt, deliveries: 0 }),
    );
  }

  /** Takes over a message of the mailbox this one is the dead-letter queue of. */
  take(message: StoredMessage): void {
    this.#hold(this.#options.store.insert(this.#entity, { ...message, ttlMs: undefined, expiresAt: undefined }));
  }

  /** Gives messages to the consumers that want some, in turn. */
  pump(): void {
    for (;;) {
      const message = this.#nextLive();
      const consumer = message && this.#nextConsumer();
      if (!consumer) return;
      this.#ready.take();
      message.state = 'held';
      if (consumer.mode === 'peekLock') consumer.deliver(this.#lock(message));
      else consumer.hand(message);
    }
  }

  /** Lets a consumer take part. */
  join(consumer: Consumer): void {
    this.#consumers.push(consumer);
  }

  /** Ends a consumer's part; what it has under lock stays locked. */
  leave(consumer: Consumer): void {
    const index = this.#consumers.indexOf(consumer);
    if (index >= 0) this.#consumers.splice(index, 1);
  }

  /** The locked message leaves for good. Throws lock-lost. */
  complete(token: Buffer): void {
    const lock = this.#locks.get(token, this.#options.now());
    this.#locks.remove(lock);
    this.remove(lock.message);
  }

  /** The locked message becomes available again, its delivery counted as failed. Throws lock-lost. */
  abandon(token: Buffer, properties: Properties = {}): void {
    const lock = this.#locks.get(token, this.#options.now());
    lock.message.bare = mergeApplicationProperties(lock.message.bare, properties);
    this.#locks.remove(lock);
    this.#failed(lock.message);
  }

  /** The locked message goes to the dead-letter queue. Throws lock-lost. */
  deadLetter(token: Buffer, why: DeadLetterReason): void {
    const lock = this.#locks.get(token, this.#options.now());
    if (!this.deadLetters) throw unsupported('Dead-lettering from a dead-letter queue is');
    this.#moveToDeadLetters(lock.message, why);
    this.#locks.remove(lock);
  }

  /** Starts the lock's time anew; returns until when it lasts. Throws lock-lost. */
  renew(token: Buffer): number {
    const { now, settings } = this.#options;
    const lock = this.#locks.get(token, now());
    this.#locks.remove(lock);
    return this.#locks.add(lock.message, now() + settings.lockMs, token).until;
  }

  /** Makes a message available again that was never delivered. */
  release(lock: Lock): void {
    if (this.#locks.remove(lock)) this.giveBack(lock.message);
  }

  /** Makes a handed message available again. */
  giveBack(message: StoredMessage): void {
    message.state = 'ready';
    this.#ready.push(message);
    if (message.expiresAt !== undefined) this.#expireAt(message.expiresAt);
  }

  /** A message leaves for good. */
  remove(message: StoredMessage): void {
    message.state = 'gone';
    this.#messages.delete(message.sequence);
    this.#options.store.remove(message);
  }

  /** All messages, locked ones included. */
  messages(): Iterable<StoredMessage> {
    return this.#messages.values();
  }

  /** Takes back expired locks and drops expired messages. */
  advance(): void {
    const now = this.#options.now();
    for (const { message } of this.#locks.takeExpired(now)) this.#failed(message);
    if (this.#earliestExpiry <= now) this.#expire(now);
    this.#options.wakeAt(Math.min(this.#locks.earliest, this.#earliestExpiry));
  }

  get #entity(): string {
    return this.path.toLowerCase();
  }

  #hold(message: StoredMessage): void {
    this.#messages.set(message.sequence, message);
    this.giveBack(message);
  }

  #expireAt(time: number): void {
    this.#earliestExpiry = Math.min(this.#earliestExpiry, time);
    this.#options.wakeAt(time);
  }

  #nextLive(): StoredMessage | undefined {
    const now = this.#options.now();
    for (;;) {
      const message = this.#ready.peek();
      if (!message || (message.expiresAt ?? now + 1) > now) return message;
      this.#expireOne(message);
    }
  }

  #nextConsumer(): Consumer | undefined {
    const index = this.#consumers.findIndex((consumer) => consumer.wantsMore());
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

  #failed(message: StoredMessage): void {
    message.deliveries++;
    const { settings, store } = this.#options;
    if (this.deadLetters && message.deliveries >= settings.maxDeliveryCount) {
      const description = `Message could not be consumed after ${message.deliveries} delivery attempts.`;
      this.#moveToDeadLetters(message, { reason: 'MaxDeliveryCountExceeded', description });
      return;
    }
    store.update(message);
    this.giveBack(message);
  }

  #moveToDeadLetters(message: StoredMessage, { reason, description, properties }: DeadLetterReason): void {
    const added = {
      ...properties,
      ...(reason === undefined ? {} : { DeadLetterReason: reason }),
      ...(description === undefined ? {} : { DeadLetterErrorDescription: description }),
    };
    const bare = mergeApplicationProperties(message.bare, added);
    this.remove(message);
    this.deadLetters?.take({ ...message, bare });
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
    if (keep) this.#moveToDeadLetters(message, { reason: 'TTLExpiredException', description });
    else this.remove(message);
  }
}
