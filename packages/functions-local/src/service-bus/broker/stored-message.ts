/** A message in a queue, subscription, dead-letter queue or schedule. Times are milliseconds since 1970. */
export interface StoredMessage {
  /** Its row in the database. */
  readonly row: number;
  /** Number within the entity that contains it. A dead-lettered message keeps it. */
  readonly sequence: number;
  /** Number within the topic or queue that it was sent to. */
  readonly enqueuedSequence: number;
  readonly enqueuedAt: number;
  /** The scheduled enqueue time of a scheduled message. */
  readonly dueAt: number | undefined;
  ttlMs: number | undefined;
  expiresAt: number | undefined;
  /** Number of failed deliveries. */
  deliveries: number;
  /** Header fields. Undefined if the sender did not set them. */
  readonly durable: boolean | undefined;
  readonly priority: number | undefined;
  readonly annotations: Buffer;
  bare: Buffer;
  /**
   * `delivered` means that a consumer has it, locked or in receive-and-delete mode. `removed` means that it left this entity.
   */
  state: 'ready' | 'delivered' | 'removed';
}

/** A message that is not stored yet. */
export type Draft = Omit<StoredMessage, 'row' | 'state' | 'deliveries' | 'expiresAt'>;
