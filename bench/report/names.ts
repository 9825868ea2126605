import type { Measurement } from '../measures/measurement.ts';
import type { PeerName } from '../measures/peers.ts';
import type { Throughput } from '../measures/throughput.ts';

/** A contender of the table. */
export type ContenderName = 'listener' | 'queueTrigger' | 'poller' | 'sluice' | 'oneThread' | 'limit' | PeerName;

/** The names of the contenders, from those with one message per item to the limit. */
export const NAMES: Readonly<Record<ContenderName, string>> = {
  poller: 'one-second poller',
  queueTrigger: 'queue trigger',
  listener: "white paper's listener",
  bullPerItem: 'BullMQ, a job per item',
  pgBoss: 'pg-boss',
  graphileWorker: 'Graphile Worker',
  sluice: 'Sluice',
  bullGrouped: 'BullMQ, 5,000 per job',
  oneThread: 'script, one thread',
  limit: 'limit: script, threads',
};

/** Returns the measured contenders, in the order of `NAMES`. */
export function contendersOf(throughput: Throughput): [ContenderName, Measurement][] {
  const { peers = {}, ...others } = throughput;
  const measured: Partial<Record<ContenderName, Measurement>> = { ...others, ...peers };
  return (Object.keys(NAMES) as ContenderName[]).flatMap((name) => {
    const one = measured[name];
    return one === undefined ? [] : [[name, one] as [ContenderName, Measurement]];
  });
}
