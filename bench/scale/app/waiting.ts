/** A handler that waits, as one that calls a database does; its report says what each instance did, and when. */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { WAIT_MS } from '../../app/waiting.ts';

/** Items in flight per thread. */
export const CONCURRENCY = 64;
/** Twenty turns of the wait: a chunk takes a thread one second, and its end leaves no thread partly idle. */
export const CHUNK_ITEMS = 20 * CONCURRENCY;

/** What an instance did: items, and the span of time, in milliseconds since 1970, in which they ended. */
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

/** The workload: one key of its report per instance. */
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
