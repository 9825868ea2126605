import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { openExclusively } from '../../exclusive-database.ts';

const schemaVersion = 1;

// The control queue's table is called `inbox`, so that the files of earlier releases stay readable.
const schema = `
  CREATE TABLE IF NOT EXISTS instances (
    id TEXT PRIMARY KEY, executionId TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL, status TEXT NOT NULL,
    input TEXT, output TEXT, customStatus TEXT, parent TEXT, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS history (
    instanceId TEXT NOT NULL, position INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (instanceId, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS inbox (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, instanceId TEXT NOT NULL, executionId TEXT, kind TEXT NOT NULL,
    dueAt INTEGER NOT NULL, event TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS inboxByInstance ON inbox (instanceId, dueAt);
  CREATE INDEX IF NOT EXISTS inboxByDue ON inbox (dueAt);
  CREATE TABLE IF NOT EXISTS tasks (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, instanceId TEXT NOT NULL, executionId TEXT NOT NULL,
    taskId INTEGER NOT NULL, name TEXT NOT NULL, input TEXT NOT NULL, dueAt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS tasksByDue ON tasks (dueAt);
  CREATE INDEX IF NOT EXISTS tasksByInstance ON tasks (instanceId);
`;

/** Opens the store for this process only. Throws DatabaseInUseError if another process has it open. */
export function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  return openExclusively(file, (db) => prepareSchema(db, file));
}

function prepareSchema(db: DatabaseSync, file: string): void {
  const found = query<{ user_version: number }>(db, 'PRAGMA user_version').get()?.user_version ?? 0;
  if (found !== 0 && found !== schemaVersion) {
    throw new Error(`The durable store '${file}' has schema ${found}, expected ${schemaVersion}: delete the file`);
  }
  db.exec(schema);
  db.exec(`PRAGMA user_version = ${schemaVersion}`);
}

/** Runs `work` as one transaction. If it throws, nothing is stored. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error: unknown) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** A prepared SELECT. */
export interface Query<Row> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
}

/** Prepares a SELECT. The caller must make sure that `Row` matches its columns, since SQLite cannot check that. */
export function query<Row>(db: DatabaseSync, sql: string): Query<Row> {
  const statement = db.prepare(sql);
  return {
    get: (...values) => statement.get(...values) as Row | undefined,
    all: (...values) => statement.all(...values) as Row[],
  };
}

/** Prepares a statement that changes rows. The returned function returns their number. */
export function command(db: DatabaseSync, sql: string): (...values: SQLInputValue[]) => number {
  const statement = db.prepare(sql);
  return (...values) => Number(statement.run(...values).changes);
}
