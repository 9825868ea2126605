import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Duration of a lease without renewal. On Azure it is 15 s to 60 s, which would be too long for local development. */
const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** Each use of the file is one statement. */
const BUSY_MS = 1_000;

/** Decides which instance of an app runs its timers. */
export interface TimerLease {
  /** Registers a timer that needs the lease. */
  join(): Promise<void>;
  /** Unregisters a timer. After the last one, another instance can acquire the lease. */
  leave(): void;
  /** Waits until this instance has the lease, and returns the number of its term. Returns undefined if aborted. */
  acquire(signal: AbortSignal): Promise<number | undefined>;
  /** Renews the lease. Returns false if the term has ended: another instance may have held the lease in the meantime. */
  renew(term: number): boolean;
}

/** Creates a lease in a file that all instances of the app share. After a restart, the same owner has it again immediately. */
export function createTimerLease(file: string, owner: string): TimerLease {
  let opening: Promise<LeaseStore> | undefined;
  let store: LeaseStore | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let users = 0;
  let term = 0;
  const extend = () => store?.extend(owner, Date.now()) ?? false;
  const isHeld = () => {
    // Only for a term of this process: an earlier process with the same name may have left its lease behind.
    if (term > 0 && extend()) return true;
    if (!store?.take(owner, Date.now())) return false;
    term += 1;
    return true;
  };
  return {
    join: async () => {
      users += 1;
      opening ??= openStore(file);
      store = await opening;
      renewing ??= setInterval(extend, RENEW_MS).unref();
    },
    leave: () => {
      users -= 1;
      if (users > 0) return;
      clearInterval(renewing);
      store?.close(owner);
      renewing = undefined;
      store = undefined;
      opening = undefined;
    },
    acquire: async (signal) => {
      while (!signal.aborted) {
        if (isHeld()) return term;
        await sleep(RENEW_MS, undefined, { signal }).catch(() => undefined);
      }
      return undefined;
    },
    renew: (held) => held === term && extend(),
  };
}

interface LeaseStore {
  /** Acquires the lease. Returns false if another owner has it. */
  take(owner: string, nowMs: number): boolean;
  /** Renews the lease. Returns false if it is expired or another owner has it. */
  extend(owner: string, nowMs: number): boolean;
  /** Releases the lease if the owner has it. */
  close(owner: string): void;
}

const TAKE = `INSERT INTO lease (id, owner, expiresAt) VALUES (1, $owner, $expiresAt)
  ON CONFLICT (id) DO UPDATE SET owner = $owner, expiresAt = $expiresAt WHERE owner = $owner OR expiresAt <= $now`;

const EXTEND = 'UPDATE lease SET expiresAt = $expiresAt WHERE owner = $owner AND expiresAt > $now';

async function openStore(file: string): Promise<LeaseStore> {
  // Loaded dynamically: an old Node has no such module, and its version must be refused first.
  const { DatabaseSync } = await import('node:sqlite');
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  db.exec('PRAGMA synchronous = OFF');
  // If another instance blocks the file, this instance does not have the lease, and tries again later.
  const isDone = (sql: string, values: Record<string, string | number>): boolean => {
    try {
      db.exec('CREATE TABLE IF NOT EXISTS lease (id INTEGER PRIMARY KEY, owner TEXT, expiresAt INTEGER) STRICT');
      return db.prepare(sql).run(values).changes > 0;
    } catch {
      return false;
    }
  };
  const until = (owner: string, now: number) => ({ $owner: owner, $expiresAt: now + LEASE_MS, $now: now });
  return {
    take: (owner, now) => isDone(TAKE, until(owner, now)),
    extend: (owner, now) => isDone(EXTEND, until(owner, now)),
    close: (owner) => {
      isDone('DELETE FROM lease WHERE owner = $owner', { $owner: owner });
      db.close();
    },
  };
}
