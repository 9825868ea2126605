import { Problem } from '../../errors.ts';
import { NoSlotError, type Slots } from '../../slots.ts';

/** The platform's front end cuts a request after 230 s, so the client of work that begins later would get no answer. */
const MAX_WAIT_MS = 100_000;
const MAX_WAITING = 100;

/**
 * Runs work of a request that needs much memory when a slot is free.
 * @throws Problem 'busy' if too many requests wait, or no slot becomes free in time.
 */
export async function inSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  if (slots.waiting >= MAX_WAITING)
    throw new Problem('busy', `${slots.waiting} requests of this kind are waiting in this instance. Try again later.`);
  try {
    return await slots.run(work, { maxWaitMs: MAX_WAIT_MS });
  } catch (error) {
    if (!(error instanceof NoSlotError)) throw error;
    throw new Problem('busy', 'Earlier requests of this kind took too long. Try again later.', { cause: error });
  }
}
