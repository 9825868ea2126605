/**
 * A handler that waits, as one that calls a database does. Its report contains the work of each instance, and when it
 * happened.
 */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { WAIT_MS } from '../../app/waiting.ts';

/** Items in flight per thread. */
export const CONCURRENCY = 64;
/** Twenty waits in sequence: a chunk occupies a thread for one second, and no thread is partly idle at its end. */
export const CHUNK_ITEMS = 20 * CONCURRENCY;

/** The work of an instance: the number of items, and the time span in which they ended, in milliseconds since 1970. */
export interface Share {
  items: number;
  fromMs: number;
  toMs: number;
}

const NONE: Share = { items: 0, fromMs: Number.MAX_SAFE_INTEGER, toMs: 0 };

const plus = (a: Share, b: Share): Share => ({
  items: a.items + b.items,
  fromMs: Math.min(a.fromMs, b.fromMs),
  toMs: Math.max(a.toMs, b.toMs),
});

/** The workload; its report has one key per instance. */
export const scaled = defineWorkload({
  name: 'scale',
  version: 1,
  item: z.object({ n: z.number() }),
  concurrency: CONCURRENCY,
  chunk: { maxItems: CHUNK_ITEMS },
  map: async (): Promise<{ instance: string; atMs: number }> => {
    await sleep(WAIT_MS);
    return { instance: process.env.WEBSITE_INSTANCE_ID ?? '', atMs: Date.now() };
  },
  reduce: {
    key: ({ instance }) => instance,
    init: () => NONE,
    add: (share, { atMs }) => plus(share, { items: 1, fromMs: atMs, toMs: atMs }),
    merge: plus,
  },
});
