import type { DurableClient } from 'durable-functions';
import type { Meter } from '../cost/meter.ts';
import { withinTime } from '../time-limit.ts';

/** The part of the durable client that the app uses. */
export type RuntimeClient = Pick<DurableClient, 'startNew' | 'getStatus' | 'purgeInstanceHistoryBy'>;

/** Time limits of calls to the runtime, in milliseconds. */
export interface RuntimeLimits {
  answerMs: number;
  purgeMs: number;
}

const RUNTIME_LIMITS: RuntimeLimits = {
  // The runtime reads its storage, whose own time limit is 30 s.
  answerMs: 35_000,
  // It deletes the histories of many instances, one by one; the next sweep purges the rest.
  purgeMs: 180_000,
};

/** Creates a client whose calls have a time limit: durable-functions 3.5 sends them without one, and accepts no abort signal. */
export const limitedClient = (
  client: RuntimeClient,
  { answerMs, purgeMs }: RuntimeLimits = RUNTIME_LIMITS,
): RuntimeClient => ({
  startNew: (name, options) => withinTime(client.startNew(name, options), answerMs, `start of ${name}`),
  getStatus: (id, options) => withinTime(client.getStatus(id, options), answerMs, `status of ${id}`),
  purgeInstanceHistoryBy: (filter) => withinTime(client.purgeInstanceHistoryBy(filter), purgeMs, 'purge of drains'),
});

/** Creates a client that counts its calls as `durable.start`, `durable.status` and `durable.purge`. */
export const countedClient = (client: RuntimeClient, meter: Pick<Meter, 'count'>): RuntimeClient => ({
  startNew: (name, options) => {
    meter.count('durable.start');
    return client.startNew(name, options);
  },
  getStatus: (id, options) => {
    meter.count('durable.status');
    return client.getStatus(id, options);
  },
  purgeInstanceHistoryBy: (filter) => {
    meter.count('durable.purge');
    return client.purgeInstanceHistoryBy(filter);
  },
});
