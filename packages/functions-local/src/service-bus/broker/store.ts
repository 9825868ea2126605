import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openExclusively } from '../../exclusive-database.ts';
import type { Draft, StoredMessage } from './stored-message.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS messages (
    row INTEGER PRIMARY KEY, entity TEXT NOT NULL, sequence INTEGER NOT NULL, enqueuedSequence INTEGER NOT NULL,
    enqueuedAt INTEGER NOT NULL, dueAt INTEGER, ttlMs INTEGER, expiresAt INTEGER, deliveries INTEGER NOT NULL,
    annotations BLOB NOT NULL, bare BLOB NOT NULL, durable INTEGER, priority INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS sequences (entity TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS duplicates (
    entity TEXT NOT NULL, messageId TEXT NOT NULL, at INTEGER NOT NULL, sequence INTEGER NOT NULL,
    PRIMARY KEY (entity, messageId)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rules (
    entity TEXT PRIMARY KEY, configured TEXT NOT NULL, current TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

const statements = {
  insert: 'INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  update: 'UPDATE messages SET deliveries = ?, bare = ? WHERE row = ?',
  remove: 'DELETE FROM messages WHERE row = ?',
  sequence: 'INSERT INTO sequences VALUES (?, ?) ON CONFLICT DO UPDATE SET last = excluded.last',
  remember: 'INSERT OR REPLACE INTO duplicates VALUES (?, ?, ?, ?)',
  forget: 'DELETE FROM duplicates WHERE entity = ? AND messageId = ?',
  rules: 'INSERT OR REPLACE INTO rules VALUES (?, ?, ?)',
} as const;

/** A message id in the duplicate detection history. `at` is in milliseconds since 1970. */
export interface SeenId {
  readonly messageId: string;
  readonly at: number;
  readonly sequence: number;
}

type Row = Record<string, string | number | bigint | Uint8Array | null>;

function toNumber(value: unknown): number | undefined {
  return value === null ? undefined : Number(value);
}

function toMessage(row: Row): StoredMessage {
  return {
    row: Number(row.row),
    sequence: Number(row.sequence),
    enqueuedSequence: Number(row.enqueuedSequence),
    enqueuedAt: Number(row.enqueuedAt),
    dueAt: toNumber(row.dueAt),
    ttlMs: toNumber(row.ttlMs),
    expiresAt: toNumber(row.expiresAt),
    deliveries: Number(row.deliveries),
    durable: row.durable === null ? undefined : row.durable === 1,
    priority: toNumber(row.priority),
    annotations: Buffer.from(row.annotations as Uint8Array),
    bare: Buffer.from(row.bare as Uint8Array),
    state: 'ready',
  };
}

function prepareSchema(db: DatabaseSync): void {
  db.exec(schema);
  // Files of earlier versions, which did not store headers, have no `durable` and `priority` columns.
  const columns = db.prepare("SELECT name FROM pragma_table_info('messages')").all();
  if (columns.some(({ name }) => name === 'priority')) return;
  db.exec('ALTER TABLE messages ADD COLUMN durable INTEGER; ALTER TABLE messages ADD COLUMN priority INTEGER');
}

/**
 * Stores the state that must survive a crash. The broker works on its state in memory and writes every change through. The
 * changes of one tick of the event loop become one transaction, and `committed` resolves after it.
 */
export class Store {
  readonly #database: DatabaseSync;
  readonly #prepared: Record<keyof typeof statements, StatementSync>;
  readonly #sequences = new Map<string, number>();
  readonly #dirtySequences = new Set<string>();
  #lastRow: number;
  #commit: PromiseWithResolvers<void> | undefined;

  /** `file` is a path or ':memory:'. Throws DatabaseInUseError if another process has the file open. */
  constructor(file: string) {
    this.#database = openExclusively(file, prepareSchema);
    const prepare = ([name, sql]: [string, string]) => [name, this.#database.prepare(sql)];
    this.#prepared = Object.fromEntries(Object.entries(statements).map(prepare));
    this.#lastRow = Number(this.#database.prepare('SELECT max(row) AS last FROM messages').get()?.last ?? 0);
    for (const row of this.#database.prepare('SELECT * FROM sequences').all()) {
      this.#sequences.set(String(row.entity), Number(row.last));
    }
  }

  /** Returns the next sequence number of an entity. Numbers start at 1 and are never reused. */
  nextSequence(entity: string): number {
    const next = (this.#sequences.get(entity) ?? 0) + 1;
    this.#sequences.set(entity, next);
    this.#dirtySequences.add(entity);
    return next;
  }

  /** Stores a message and assigns its row. */
  insert(entity: string, draft: Draft & Pick<StoredMessage, 'expiresAt' | 'deliveries'>): StoredMessage {
    const message: StoredMessage = { ...draft, row: ++this.#lastRow, state: 'ready' };
    const { row, sequence, enqueuedSequence, enqueuedAt, deliveries, annotations, bare } = message;
    const times = [message.dueAt ?? null, message.ttlMs ?? null, message.expiresAt ?? null];
    const header = [message.durable === undefined ? null : Number(message.durable), message.priority ?? null];
    const counts = [sequence, enqueuedSequence, enqueuedAt, ...times, deliveries];
    this.#run('insert', row, entity, ...counts, annotations, bare, ...header);
    return message;
  }

  /** Updates the delivery count and the properties of a message. */
  update({ row, deliveries, bare }: StoredMessage): void {
    this.#run('update', deliveries, bare, row);
  }

  /** Removes a message. */
  remove({ row }: StoredMessage): void {
    this.#run('remove', row);
  }

  /** Stores a message id for duplicate detection. */
  remember(entity: string, { messageId, at, sequence }: SeenId): void {
    this.#run('remember', entity, messageId, at, sequence);
  }

  /** Removes a message id that is older than the window. */
  forget(entity: string, messageId: string): void {
    this.#run('forget', entity, messageId);
  }

  /** Stores the rules of a subscription, together with the configured rules that they started from. */
  saveRules(entity: string, configured: string, current: string): void {
    this.#run('rules', entity, configured, current);
  }

  /** Loads the stored rules of a subscription. */
  loadRules(entity: string): { configured: string; current: string } | undefined {
    const row = this.#database.prepare('SELECT * FROM rules WHERE entity = ?').get(entity);
    return row && { configured: String(row.configured), current: String(row.current) };
  }

  /** Loads the messages of an entity in the order in which they were stored. */
  loadMessages(entity: string): StoredMessage[] {
    const rows = this.#database.prepare('SELECT * FROM messages WHERE entity = ? ORDER BY row').all(entity);
    return rows.map(toMessage);
  }

  /** Loads the message ids of an entity, oldest first. */
  loadSeenIds(entity: string): SeenId[] {
    const rows = this.#database.prepare('SELECT * FROM duplicates WHERE entity = ? ORDER BY at').all(entity);
    return rows.map((row) => ({
      messageId: String(row.messageId),
      at: Number(row.at),
      sequence: Number(row.sequence),
    }));
  }

  /** Resolves when all changes so far are committed. Rejects if the commit failed. */
  committed(): Promise<void> {
    return this.#commit?.promise ?? Promise.resolve();
  }

  /** Commits the open transaction and closes the file. */
  close(): void {
    this.#finish();
    this.#database.close();
  }

  #run(name: keyof typeof statements, ...values: (string | number | Buffer | null)[]): void {
    this.#begin();
    this.#prepared[name].run(...values);
  }

  #begin(): void {
    if (this.#commit) return;
    this.#database.exec('BEGIN');
    this.#commit = Promise.withResolvers();
    // There may be no caller that waits. Callers that do wait still receive the rejection.
    this.#commit.promise.catch(() => {});
    setImmediate(() => this.#finish());
  }

  #finish(): void {
    const commit = this.#commit;
    if (!commit) return;
    try {
      for (const entity of this.#dirtySequences) this.#prepared.sequence.run(entity, this.#sequences.get(entity) ?? 0);
      this.#dirtySequences.clear();
      this.#database.exec('COMMIT');
      commit.resolve();
    } catch (error) {
      commit.reject(error);
    }
    this.#commit = undefined;
  }
}
