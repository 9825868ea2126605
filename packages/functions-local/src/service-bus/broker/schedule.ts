import { messageNotFound } from '../errors.ts';
import type { Store } from './store.ts';
import type { Draft, StoredMessage } from './stored-message.ts';

/** Messages of a topic or queue that are not due yet. */
export class Schedule {
  readonly #entity: string;
  readonly #store: Store;
  readonly #messages = new Map<number, StoredMessage>();
  /** No later than the first message that is due; cancelling leaves it too early, which only costs a look. */
  #earliest = Number.POSITIVE_INFINITY;

  /** Reads the schedule of an entity back from the store; `entity` is the store's name for the schedule alone. */
  constructor(entity: string, store: Store) {
    this.#entity = entity;
    this.#store = store;
    for (const message of store.loadMessages(entity)) this.#hold(message);
  }

  /** How many messages wait. */
  get size(): number {
    return this.#messages.size;
  }

  /** When to call `takeDue` next, in milliseconds since 1970. */
  get earliest(): number {
    return this.#earliest;
  }

  /** The waiting messages in the order in which they came. */
  messages(): Iterable<StoredMessage> {
    return this.#messages.values();
  }

  /** Keeps a message until it is due. */
  add(draft: Draft): void {
    this.#hold(this.#store.insert(this.#entity, { ...draft, expiresAt: undefined, deliveries: 0 }));
  }

  /** Removes messages by sequence number: all of them, or none and throws when one is not scheduled. */
  cancel(sequences: readonly number[]): void {
    const missing = sequences.find((sequence) => !this.#messages.has(sequence));
    if (missing !== undefined) throw messageNotFound(missing);
    for (const sequence of sequences) this.#drop(sequence);
  }

  /** Removes and returns what is due, first due first. */
  takeDue(now: number): StoredMessage[] {
    if (this.#earliest > now) return [];
    const due = [...this.#messages.values()].filter(({ dueAt = 0 }) => dueAt <= now);
    for (const { sequence } of due) this.#drop(sequence);
    this.#earliest = Math.min(...[...this.#messages.values()].map(({ dueAt = 0 }) => dueAt));
    return due.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0));
  }

  #hold(message: StoredMessage): void {
    this.#messages.set(message.sequence, message);
    this.#earliest = Math.min(this.#earliest, message.dueAt ?? 0);
  }

  #drop(sequence: number): void {
    const message = this.#messages.get(sequence);
    if (message) this.#store.remove(message);
    this.#messages.delete(sequence);
  }
}
