import type { SeenId, Store } from './store.ts';

/** The message ids of the last while, to drop what is sent twice. */
export class DuplicateHistory {
  readonly #entity: string;
  readonly #windowMs: number;
  readonly #store: Store;
  /** Oldest first, as long as the clock does not go back. */
  readonly #seen: Map<string, SeenId>;

  /** Reads the history of an entity back from the store. */
  constructor(entity: string, windowMs: number, store: Store) {
    this.#entity = entity;
    this.#windowMs = windowMs;
    this.#store = store;
    this.#seen = new Map(store.loadSeenIds(entity).map((seen) => [seen.messageId, seen]));
  }

  /** The sequence number of the first message with this id inside the window, if there is one. */
  find(messageId: string, now: number): number | undefined {
    this.#forgetOld(now);
    return this.#seen.get(messageId)?.sequence;
  }

  /** Keeps an id. */
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
