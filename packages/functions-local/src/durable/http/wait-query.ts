import { RequestError } from '../errors.ts';
import type { Query } from './http-exchange.ts';

/** How long a start waits for its instance to finish, and how often it polls. */
export interface Wait {
  timeoutMs: number;
  intervalMs: number;
}

/**
 * Reads `timeout` and `pollingInterval`, both in seconds. As in the extension, a start waits only if both are numbers;
 * anything else counts as absent. Throws a 400 if the interval is larger than the timeout, or negative.
 */
export function readWait(query: Query): Wait | undefined {
  const timeout = readSeconds(query, 'timeout');
  const interval = readSeconds(query, 'pollingInterval');
  if (timeout === undefined || interval === undefined) return undefined;
  if (interval > timeout) {
    throw new RequestError(400, `Total timeout ${timeout} should be bigger than retry timeout ${interval}`);
  }
  if (interval < 0) throw new RequestError(400, `pollingInterval: expected a number of at least 0, got ${interval}`);
  return { timeoutMs: timeout * 1000, intervalMs: interval * 1000 };
}

function readSeconds(query: Query, name: string): number | undefined {
  const seconds = Number(query.text(name) ?? Number.NaN);
  // Node's timers accept at most 2^31 - 1 milliseconds.
  return Number.isFinite(seconds) && seconds * 1000 < 2 ** 31 ? seconds : undefined;
}
