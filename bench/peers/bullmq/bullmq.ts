/** Contender: BullMQ on Redis. README.md has the settings and why. */
import { type JobsOptions, Queue, QueueEvents } from 'bullmq';
import { mergeTotals, type Totals } from '../../contenders/handle.ts';
import { readGroups } from '../../contenders/script/read-blocks.ts';
import type { Peer } from '../peer.ts';
import { runPerItem } from '../per-item.ts';
import { PeerThreads } from '../threads.ts';
import { connectionTo, GROUPS, ITEMS, type Partial } from './settings.ts';

const GROUP_ITEMS = 5_000;
/** Groups that are sent to Redis at the same time. */
const GROUPS_IN_FLIGHT = 4;
/** Items per call of addBulk. */
const BULK_ITEMS = 1_000;
const KEEP: JobsOptions = { removeOnComplete: true };

/** One job per 5,000 items, which the bench's code groups; each job returns its partial aggregate. */
export async function openGrouped(redis: string): Promise<Peer> {
  const queue = new Queue<string, Partial>(GROUPS, connectionTo(redis));
  const events = new QueueEvents(GROUPS, connectionTo(redis));
  const threads = new PeerThreads(new URL('./groups-thread.ts', import.meta.url), redis);
  await Promise.all([threads.ready(), events.waitUntilReady()]);
  return {
    run: async (file) => {
      const totals: Totals = new Map();
      let merged = 0;
      const onCompleted = ({ returnvalue }: { returnvalue: unknown }): void => {
        mergeTotals(totals, returnvalue as Partial);
        merged += 1;
      };
      events.on('completed', onCompleted);
      const { items, jobs } = await addGroups(queue, file);
      await threads.finish(items);
      // The last jobs are done, but their events have not arrived yet.
      while (merged < jobs) await new Promise((resolve) => events.once('completed', resolve));
      events.off('completed', onCompleted);
      return { items, totals };
    },
    close: async () => {
      await threads.end();
      await events.close();
      await empty(queue);
    },
  };
}

async function addGroups(queue: Queue<string, Partial>, file: string): Promise<{ items: number; jobs: number }> {
  const adds: Promise<unknown>[] = [];
  let items = 0;
  for await (const group of readGroups(file, GROUP_ITEMS)) {
    items += group.length;
    adds.push(queue.add('group', group.join('\n'), KEEP));
    await adds[adds.length - GROUPS_IN_FLIGHT];
  }
  await Promise.all(adds);
  return { items, jobs: adds.length };
}

/** One job per item; the threads keep their totals in memory. */
export async function openPerItem(redis: string): Promise<Peer> {
  const queue = new Queue<object>(ITEMS, connectionTo(redis));
  const threads = new PeerThreads(new URL('./items-thread.ts', import.meta.url), redis);
  await threads.ready();
  return {
    run: runPerItem(threads, BULK_ITEMS, (items) =>
      queue.addBulk(items.map((data) => ({ name: 'item', data, opts: KEEP }))),
    ),
    close: async () => {
      await threads.end();
      await empty(queue);
    },
  };
}

async function empty(queue: Queue): Promise<void> {
  await queue.obliterate({ force: true });
  await queue.close();
}
