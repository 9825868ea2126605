import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a lease lasts that nobody renews. Azure's lasts 15 s to 60 s; whoever is local does not want to wait. */
const LEASE_MS = 3_000;
const RENEW_MS = 1_000;
/** Each use of the file is one statement. */
const BUSY_MS = 1_000;

/** Says which instance of an app fires its timers. */
export interface TimerLease {
  /** One timer more needs the lease. */
  join(): Promise<void>;
  /** One timer fewer needs it; after the last one another instance can have it. */
  leave(): void;
  /** Waits until this instance has the lease; false when aborted. */
  acquire(signal: AbortSignal): Promise<boolean>;
  /** Renews the lease; false when another instance has it. */
  renew(): boolean;
}

/** Keeps the lease in a file that all instances of the app share; the same owner has it again at once after a restart. */
export function createTimerLease(file: string, owner: string): TimerLease {
  let opening: Promise<LeaseStore> | undefined;
  let store: LeaseStore | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let users = 0;
  const renew = () => store?.take(owner, Date.now()) ?? false;
  return {
    join: async () => {
      users += 1;
      opening ??= openStore(file);
      store = await opening;
      renewing ??= setInterval(renew, RENEW_MS).unref();
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
        if (renew()) return true;
        await sleep(RENEW_MS, undefined, { signal }).catch(() => undefined);
      }
      return false;
    },
    renew,
  };
}

interface LeaseStore {
  /** Takes or renews the lease; false when another owner has it. */
  take(owner: string, nowMs: number): boolean;
  /** Gives the lease back, if the owner has it. */
  close(owner: string): void;
}

const TAKE = `INSERT INTO lease (id, owner, expiresAt) VALUES (1, $owner, $expiresAt)
  ON CONFLICT (id) DO UPDATE SET owner = $owner, expiresAt = $expiresAt WHERE owner = $owner OR expiresAt <= $now`;

async function openStore(file: string): Promise<LeaseStore> {
  // Loaded here: a Node that is too old has no such module, and is to be told so first.
  const { DatabaseSync } = await import('node:sqlite');
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  db.exec('PRAGMA synchronous = OFF');
  // An instance that another keeps from the file does not have the lease; it asks again.
  const isDone = (sql: string, values: Record<string, string | number>): boolean => {
    try {
      db.exec('CREATE TABLE IF NOT EXISTS lease (id INTEGER PRIMARY KEY, owner TEXT, expiresAt INTEGER) STRICT');
      return db.prepare(sql).run(values).changes > 0;
    } catch {
      return false;
    }
  };
  return {
    take: (owner, now) => isDone(TAKE, { $owner: owner, $expiresAt: now + LEASE_MS, $now: now }),
    close: (owner) => {
      isDone('DELETE FROM lease WHERE owner = $owner', { $owner: owner });
      db.close();
    },
  };
}
