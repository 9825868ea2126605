/** The one loop of optimistic concurrency: read, change, write if nobody else has, and again where somebody has. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentionError } from '../errors.ts';

/** What an attempt gives that found the row changed by somebody else. */
export const LOST_RACE: unique symbol = Symbol('lost race');

/**
 * Attempts in all. Each lost race is somebody else's success, so that only a storm of writers gets here, or a fault that
 * looks like a lost race: with the delays below it is given up after 10 s on average, and 19 s at most.
 */
const MAX_ATTEMPTS = 30;
/** Attempts that follow at once: the usual rival writes a row once, and its write is over when it has beaten ours. */
const ATTEMPTS_AT_ONCE = 5;
/** First and longest bound of the delay, which is random below it: a write takes some 10 ms, and a second spreads a hundred writers. */
const FIRST_DELAY_MS = 10;
const LONGEST_DELAY_MS = 1_000;

/** Time and chance, to be replaced in tests. */
export interface RetryTools {
  sleep: (ms: number) => Promise<unknown>;
  random: () => number;
}

/**
 * Runs `attempt` until it gives something else than LOST_RACE; each attempt has to read the row again. `what` names the row.
 * @throws ContentionError after 30 lost races; whatever `attempt` throws, at once.
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
  throw new ContentionError(`The ${what} was changed by others at each of ${MAX_ATTEMPTS} attempts to change it.`);
}

const delayMs = (nth: number, random: number): number => random * Math.min(FIRST_DELAY_MS * 2 ** nth, LONGEST_DELAY_MS);
