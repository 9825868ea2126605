/** The only loop of optimistic concurrency: read, change, write, and repeat if another writer changed the row. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentionError } from '../errors.ts';

/** The result of an attempt whose row another writer has changed. */
export const LOST_RACE: unique symbol = Symbol('lost race');

/**
 * Total number of attempts. Each lost race is a success of another writer, so only a storm of writers reaches this
 * number, or an error that looks like a lost race: with the delays below, it fails after 10 s on average and 19 s at
 * most.
 */
const MAX_ATTEMPTS = 30;
/** Attempts without a delay: a typical rival writes a row once, and its write is finished when ours is refused. */
const ATTEMPTS_AT_ONCE = 5;
/** Bounds of the first and longest random delay. A write takes 10 ms; one second spreads a hundred writers. */
const FIRST_DELAY_MS = 10;
const LONGEST_DELAY_MS = 1_000;

/** Time and randomness, replaced in tests. */
export interface RetryTools {
  sleep: (ms: number) => Promise<unknown>;
  random: () => number;
}

/**
 * Runs `attempt` until it returns a value other than LOST_RACE. Each attempt must read the row again. `what` describes
 * the row.
 * @throws ContentionError after 30 lost races; errors of `attempt`, immediately.
 */
export async function retryLostRace<T>(
  what: string,
  attempt: () => Promise<T | typeof LOST_RACE>,
  tools: RetryTools = { sleep, random: Math.random },
): Promise<T> {
  for (let lost = 0; lost < MAX_ATTEMPTS; lost += 1) {
    if (lost >= ATTEMPTS_AT_ONCE) await tools.sleep(delayMs(lost - ATTEMPTS_AT_ONCE, tools.random()));
    const result = await attempt();
    if (result !== LOST_RACE) return result;
  }
  throw new ContentionError(`Other writers changed the ${what} during each of ${MAX_ATTEMPTS} attempts to change it.`);
}

const delayMs = (nth: number, random: number): number => random * Math.min(FIRST_DELAY_MS * 2 ** nth, LONGEST_DELAY_MS);
