/** Contender: BullMQ on Redis. README.md has the settings and why. */
import { type JobsOptions, Queue, QueueEvents } from 'bullmq';
import { mergeTotals, type Totals } from '../contenders/handle.ts';
import { readGroups } from '../contenders/read-blocks.ts';
import { GROUPS, ITEMS, type Partial, prefix, redisOptions } from './bullmq-settings.ts';
import type { Peer } from './peer.ts';
import { PeerThreads } from './threads.ts';

const GROUP_ITEMS = 5_000;
/** Items per call of addBulk. */
const BULK_ITEMS = 1_000;
/** Groups on their way to Redis at once. */
const GROUPS_IN_FLIGHT = 4;
const KEEP: JobsOptions = { removeOnComplete: true };

/** One job per 5,000 items, grouped by hand; each job returns its partial aggregate. */
export async function openGrouped(redis: string): Promise<Peer> {
  const queue = new Queue<string, Partial>(GROUPS, { connection: redisOptions(redis), prefix });
  const events = new QueueEvents(GROUPS, { connection: redisOptions(redis), prefix });
  const threads = new PeerThreads(new URL('./bullmq-groups-thread.ts', import.meta.url), redis);
  await Promise.all([threads.ready(), events.waitUntilReady()]);
  let onPartial = (_partial: Partial): void => {};
  let onFailure = (_error: Error): void => {};
  events.on('completed', ({ returnvalue }) => onPartial(returnvalue as unknown as Partial));
  events.on('failed', ({ failedReason }) => onFailure(new Error(failedReason)));
  return {
    run: async (file) => {
      const totals: Totals = new Map();
      const merged = Promise.withResolvers<void>();
      onFailure = merged.reject;
      let items = 0;
      let jobs = 0;
      let left = Number.POSITIVE_INFINITY;
      let completed = 0;
      onPartial = (partial) => {
        mergeTotals(totals, partial);
        completed += 1;
        if (completed === left) merged.resolve();
      };
      const adds: Promise<unknown>[] = [];
      for await (const group of readGroups(file, GROUP_ITEMS)) {
        items += group.length;
        jobs += 1;
        adds.push(queue.add('group', group.join('\n'), KEEP));
        await adds[adds.length - GROUPS_IN_FLIGHT];
      }
      await Promise.all(adds);
      left = jobs;
      if (completed < left) await merged.promise;
      await threads.finish(items);
      return { items, totals };
    },
    close: () =>
      Promise.all([threads.end(), events.close(), queue.obliterate({ force: true }).then(() => queue.close())]),
  };
}

/** One job per item; the threads keep their totals in memory. */
export async function openPerItem(redis: string): Promise<Peer> {
  const queue = new Queue<object>(ITEMS, { connection: redisOptions(redis), prefix });
  const threads = new PeerThreads(new URL('./bullmq-items-thread.ts', import.meta.url), redis);
  await threads.ready();
  return {
    run: async (file) => {
      let items = 0;
      for await (const group of readGroups(file, BULK_ITEMS)) {
        items += group.length;
        await queue.addBulk(group.map((line) => ({ name: 'item', data: JSON.parse(line), opts: KEEP })));
      }
      await threads.finish(items);
      return { items, totals: await threads.totals() };
    },
    close: () => Promise.all([threads.end(), queue.obliterate({ force: true }).then(() => queue.close())]),
  };
}
