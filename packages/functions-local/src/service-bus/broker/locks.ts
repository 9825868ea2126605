import { lockLost } from '../errors.ts';
import { createLockToken } from '../wire/lock-token.ts';
import type { StoredMessage } from './stored-message.ts';

/** A lock on a delivered message. `until` is in milliseconds since 1970. */
export interface Lock {
  readonly token: Buffer;
  readonly message: StoredMessage;
  readonly until: number;
}

/** The locks of one queue. All have the same duration. Therefore they expire in the order in which they were created. */
export class Locks {
  readonly #locks = new Map<string, Lock>();

  /** When the first lock expires, or infinity if there is none. */
  get earliest(): number {
    const [first] = this.#locks.values();
    return first?.until ?? Number.POSITIVE_INFINITY;
  }

  /** Locks a message. */
  add(message: StoredMessage, until: number, token = createLockToken()): Lock {
    const lock = { token, message, until };
    this.#locks.set(token.toString('hex'), lock);
    return lock;
  }

  /** Returns the lock with this token. Throws lock-lost if there is none or it is expired. */
  get(token: Buffer, now: number): Lock {
    const lock = this.#locks.get(token.toString('hex'));
    if (!lock || lock.until <= now) throw lockLost();
    return lock;
  }

  /** Removes a lock. Returns whether it existed. */
  remove({ token }: Pick<Lock, 'token'>): boolean {
    return this.#locks.delete(token.toString('hex'));
  }

  /** Removes and returns the expired locks. */
  takeExpired(now: number): Lock[] {
    const expired: Lock[] = [];
    for (const lock of this.#locks.values()) {
      if (lock.until > now) break;
      expired.push(lock);
    }
    for (const lock of expired) this.remove(lock);
    return expired;
  }
}
