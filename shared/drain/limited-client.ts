import type { DurableClient } from 'durable-functions';
import type { Meter } from '../cost/meter.ts';
import { withinTime } from '../time-limit.ts';

/** What the app asks of the durable runtime. */
export type RuntimeClient = Pick<DurableClient, 'startNew' | 'getStatus' | 'purgeInstanceHistoryBy'>;

/** Longest waits for the runtime, in milliseconds. */
export interface RuntimeLimits {
  answerMs: number;
  purgeMs: number;
}

const RUNTIME_LIMITS: RuntimeLimits = {
  // It asks storage, which gives up after 30 s itself.
  answerMs: 35_000,
  // It deletes the histories of many instances, one by one; what is left is purged with the next sweep.
  purgeMs: 180_000,
};

/** Makes a client whose calls end: durable-functions 3.5 sends them without a time limit, and takes no abort signal. */
export const limitedClient = (
  client: RuntimeClient,
  { answerMs, purgeMs }: RuntimeLimits = RUNTIME_LIMITS,
): RuntimeClient => ({
  startNew: (name, options) => withinTime(client.startNew(name, options), answerMs, `start of ${name}`),
  getStatus: (id, options) => withinTime(client.getStatus(id, options), answerMs, `status of ${id}`),
  purgeInstanceHistoryBy: (filter) => withinTime(client.purgeInstanceHistoryBy(filter), purgeMs, 'purge of drains'),
});

/** Makes a client that counts what the runtime is asked for: as `durable.start`, `durable.status` and `durable.purge`. */
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
