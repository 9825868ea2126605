import type { DurableClient } from 'durable-functions';
import type { Meter } from '../cost/meter.ts';
import { withinTime } from '../time-limit.ts';

export type RuntimeClient = Pick<DurableClient, 'startNew' | 'getStatus' | 'purgeInstanceHistoryBy'>;

/** Time limits of calls, in milliseconds. The runtime reads its storage, whose own time limit is 30 s. */
const LIMITS = {
  start: 35_000,
  status: 35_000,
  // It deletes the histories of many instances, one by one; the next sweep purges the rest.
  purge: 180_000,
};

/**
 * Creates a client whose calls have a time limit: durable-functions 3.5 sends them without one, and accepts no abort
 * signal. They are counted as `durable.start`, `durable.status` and `durable.purge`.
 */
export function limitedClient(client: RuntimeClient, meter: Pick<Meter, 'count'>, limits = LIMITS): RuntimeClient {
  const limited = <T>(call: keyof typeof LIMITS, what: string, answer: Promise<T>): Promise<T> => {
    meter.count(`durable.${call}`);
    return withinTime(answer, limits[call], what);
  };
  return {
    startNew: (name, options) => limited('start', `start of ${name}`, client.startNew(name, options)),
    getStatus: (id, options) => limited('status', `status of ${id}`, client.getStatus(id, options)),
    purgeInstanceHistoryBy: (filter) => limited('purge', 'purge of drains', client.purgeInstanceHistoryBy(filter)),
  };
}
