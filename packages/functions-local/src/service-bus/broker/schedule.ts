import { messageNotFound } from '../errors.ts';
import type { Store } from './store.ts';
import type { Draft, StoredMessage } from './stored-message.ts';

/** The scheduled messages of a topic or queue that are not due yet. */
export class Schedule {
  readonly #entity: string;
  readonly #store: Store;
  readonly #messages = new Map<number, StoredMessage>();
  /** Not later than the first due time. After a cancellation it can be too early, which only causes a needless check. */
  #earliest = Number.POSITIVE_INFINITY;

  /** Loads the schedule of an entity from the store. `entity` is the key of the schedule itself in the store. */
  constructor(entity: string, store: Store) {
    this.#entity = entity;
    this.#store = store;
    for (const message of store.loadMessages(entity)) this.#hold(message);
  }

  /** The number of scheduled messages. */
  get size(): number {
    return this.#messages.size;
  }

  /** When to call `takeDue` next, in milliseconds since 1970. */
  get earliest(): number {
    return this.#earliest;
  }

  /** Returns the scheduled messages in the order in which they were added. */
  messages(): Iterable<StoredMessage> {
    return this.#messages.values();
  }

  /** Stores a message until it is due. */
  add(draft: Draft): void {
    this.#hold(this.#store.insert(this.#entity, { ...draft, expiresAt: undefined, deliveries: 0 }));
  }

  /** Removes messages by sequence number. If one of them is not scheduled, throws and removes none. */
  cancel(sequences: readonly number[]): void {
    const missing = sequences.find((sequence) => !this.#messages.has(sequence));
    if (missing !== undefined) throw messageNotFound(missing);
    for (const sequence of sequences) this.#drop(sequence);
  }

  /** Removes and returns the due messages, ordered by due time. */
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
