import type { DatabaseSync } from 'node:sqlite';

/** A process that is ending may hold its file for a moment longer, as may a tool that looks into it. */
const WAIT_MS = 2_000;

/** The file belongs to another process. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';

  constructor(file: string, cause: unknown) {
    super(
      `The file '${file}' is in use by another process. One process owns it: stop the other one, or name another file.`,
      { cause },
    );
  }
}

/**
 * Opens a SQLite file (or ':memory:') for this process alone and runs `prepare` on it as one transaction. From then on no
 * other connection gets in, so no later statement can find the file locked. The lock is the system's and dies with the
 * process. Waits up to `waitMs` (default 2 s) for another connection to let go, then throws DatabaseInUseError.
 */
export function openExclusively(file: string, prepare: (db: DatabaseSync) => void, waitMs = WAIT_MS): DatabaseSync {
  // Not imported: a Node without the module would fail before check-node.ts can say what is wrong.
  const sqlite = process.getBuiltinModule('node:sqlite');
  const db = new sqlite.DatabaseSync(file, { timeout: waitMs });
  try {
    // Exclusive mode, set before the first access, keeps every lock that is taken; the transaction takes all of them.
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
