import type { DatabaseSync } from 'node:sqlite';

/** A process that is ending can keep its file open for a moment longer, as can a tool that reads it. */
const WAIT_MS = 2_000;

/** Another process uses the file. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';

  constructor(file: string, cause: unknown) {
    super(`The file '${file}' is in use by another process. Stop that process, or use another file.`, { cause });
  }
}

/**
 * Opens a SQLite file (or ':memory:') for this process only, and runs `prepare` on it as one transaction. Other connections
 * are then refused, so that no later statement can fail because of a lock. The operating system releases the lock when the
 * process dies. Waits up to `waitMs` (default 2 s) for another connection to close, then throws DatabaseInUseError.
 */
export function openExclusively(file: string, prepare: (db: DatabaseSync) => void, waitMs = WAIT_MS): DatabaseSync {
  // Not imported statically: with a Node without the module, the import would fail before check-node.ts can report the
  // problem.
  const sqlite = process.getBuiltinModule('node:sqlite');
  const db = new sqlite.DatabaseSync(file, { timeout: waitMs });
  try {
    // Exclusive mode, set before the first access, keeps every acquired lock. The transaction acquires all of them.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
    prepare(db);
    db.exec('COMMIT');
    return db;
  } catch (error: unknown) {
    db.close();
    if (error instanceof Error && error.message.includes('database is locked')) {
      throw new DatabaseInUseError(file, error);
    }
    throw error;
  }
}
