/** Workloads whose handler waits, as one that calls a database or an API does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload, type Workload } from '../../shared/workload/define.ts';

/** The wait of the handler per item. */
export const WAIT_MS = 50;
/** Items in flight per thread, one workload each. */
export const CONCURRENCIES = [64, 256] as const;
/** Items per chunk of these workloads. */
export const CHUNK_ITEMS = 5_000;

/** An item of these workloads. */
export const waitingItem = z.object({ n: z.number() });
type WaitingItem = z.infer<typeof waitingItem>;

/** Name of the workload with this number of items in flight per thread. */
export const waitingName = (concurrency: number): string => `waiting${concurrency}`;

/** The handler: it waits, and computes almost nothing. */
export async function callAndWait({ n }: WaitingItem): Promise<WaitingItem> {
  await sleep(WAIT_MS);
  return { n };
}

/** The workloads, in the order of `CONCURRENCIES`. Their report counts the items, so that a missing one is noticed. */
export const waiting: Workload[] = CONCURRENCIES.map((concurrency) =>
  defineWorkload({
    name: waitingName(concurrency),
    version: 1,
    item: waitingItem,
    concurrency,
    chunk: { maxItems: CHUNK_ITEMS },
    map: callAndWait,
    reduce: {
      key: () => 'items',
      init: () => 0,
      add: (count) => count + 1,
      merge: (a, b) => a + b,
    },
  }),
);
