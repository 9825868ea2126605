import type { SeenId, Store } from './store.ts';

/** The recent message ids of an entity, for duplicate detection. */
export class DuplicateHistory {
  readonly #entity: string;
  readonly #windowMs: number;
  readonly #store: Store;
  /** In the order of their time, unless the clock goes back. */
  readonly #seen: Map<string, SeenId>;

  /** Loads the history of an entity from the store. */
  constructor(entity: string, windowMs: number, store: Store) {
    this.#entity = entity;
    this.#windowMs = windowMs;
    this.#store = store;
    this.#seen = new Map(store.loadSeenIds(entity).map((seen) => [seen.messageId, seen]));
  }

  /** Returns the sequence number of the first message with this id inside the window, or undefined. */
  find(messageId: string, now: number): number | undefined {
    this.#forgetOld(now);
    return this.#seen.get(messageId)?.sequence;
  }

  /** Adds an id. */
  remember(messageId: string, sequence: number, now: number): void {
    const seen = { messageId, sequence, at: now };
    this.#seen.set(messageId, seen);
    this.#store.remember(this.#entity, seen);
  }

  #forgetOld(now: number): void {
    for (const { messageId, at } of this.#seen.values()) {
      if (at + this.#windowMs > now) return;
      this.#seen.delete(messageId);
      this.#store.forget(this.#entity, messageId);
    }
  }
}
