/** A message in a queue, subscription, dead-letter queue or schedule. Times are milliseconds since 1970. */
export interface StoredMessage {
  /** Its row in the database. */
  readonly row: number;
  /** Number within the entity that holds it; kept when it is dead-lettered. */
  readonly sequence: number;
  /** Number within the topic or queue it was sent to. */
  readonly enqueuedSequence: number;
  readonly enqueuedAt: number;
  /** When it is due, of a scheduled message. */
  readonly dueAt: number | undefined;
  ttlMs: number | undefined;
  expiresAt: number | undefined;
  /** Deliveries that failed. */
  deliveries: number;
  /** The header of the sender; undefined when it said nothing. */
  readonly durable: boolean | undefined;
  readonly priority: number | undefined;
  readonly annotations: Buffer;
  bare: Buffer;
  /** `held` is out with a receiver, under a lock or on its way; `gone` has left this entity. */
  state: 'ready' | 'held' | 'gone';
}

/** What is known of a message before it has a place. */
export type Draft = Omit<StoredMessage, 'row' | 'state' | 'deliveries' | 'expiresAt'>;
