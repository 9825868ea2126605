import { lockLost } from '../errors.ts';
import { createLockToken } from '../wire/lock-token.ts';
import type { StoredMessage } from './stored-message.ts';

/** A message out with a receiver; `until` is in milliseconds since 1970. */
export interface Lock {
  readonly token: Buffer;
  readonly message: StoredMessage;
  readonly until: number;
}

/** The locks of one mailbox. All last equally long, so the order of making them is the order of their expiry. */
export class Locks {
  readonly #locks = new Map<string, Lock>();

  /** When the first lock expires; infinite when there is none. */
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

  /** The lock of this token. Throws lock-lost when there is none or its time is over. */
  get(token: Buffer, now: number): Lock {
    const lock = this.#locks.get(token.toString('hex'));
    if (!lock || lock.until <= now) throw lockLost();
    return lock;
  }

  /** Ends a lock; returns whether there was one. */
  remove({ token }: Pick<Lock, 'token'>): boolean {
    return this.#locks.delete(token.toString('hex'));
  }

  /** Removes and returns the locks whose time is over. */
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
