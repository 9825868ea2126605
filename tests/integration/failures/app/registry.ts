/** Workloads that misbehave as their items specify. They replace the app's own workloads (tests/helpers/app-copy.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload, type ItemContext } from '../../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../../shared/workload/errors.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';

const item = z.object({
  n: z.number(),
  do: z.string().optional(),
  url: z.string().optional(),
  ms: z.number().optional(),
});
type Item = z.infer<typeof item>;

const BEHAVIOURS: Record<string, (item: Item, context: ItemContext) => void | Promise<void>> = {
  reject: () => {
    throw new Reject('no such account');
  },
  once: (_item, { attempt }) => {
    if (attempt === 1) throw new Retry('come again', { after: 1 });
  },
  never: () => {
    throw new Error('always fails');
  },
  wait: async ({ ms = 0 }) => {
    await sleep(ms);
  },
  hang: () => new Promise(() => {}),
  loop: () => {
    while (Math.sin(Date.now()) < 2);
  },
  exit: () => process.exit(3),
  kill: () => {
    process.kill(process.pid, 'SIGKILL');
  },
  /** Waits for a server that records the call (tests/helpers/servers/slow-server.ts). */
  visit: async ({ n, url = '', ms = 0 }) => {
    await fetch(`${url}?n=${n}&ms=${ms}&instance=${process.env.WEBSITE_INSTANCE_ID}`);
  },
  call: async ({ url = '' }) => {
    const { status } = await fetch(url);
    if (status !== 200) throw new Error(`downstream answered ${status}`);
  },
};

async function map(given: Item, context: ItemContext): Promise<{ n: number }> {
  await BEHAVIOURS[given.do ?? '']?.(given, context);
  return { n: given.n };
}

const reduce = {
  key: () => 'all',
  init: () => ({ count: 0, sum: 0 }),
  add: (acc: { count: number; sum: number }, { n }: { n: number }) => ({ count: acc.count + 1, sum: acc.sum + n }),
  merge: (a: { count: number; sum: number }, b: { count: number; sum: number }) => ({
    count: a.count + b.count,
    sum: a.sum + b.sum,
  }),
};

interface Options {
  maxItems: number;
  pool?: string;
  secondsPerChunk?: number;
  timeoutSeconds?: number;
}

const workload = (name: string, options: Options) =>
  defineWorkload({
    name,
    version: 1,
    item,
    map,
    reduce,
    retry: { attempts: 3 },
    timeoutSeconds: options.timeoutSeconds ?? 1,
    lanes: ['high', 'normal', 'bulk'],
    lane: () => 'normal',
    chunk: { maxItems: options.maxItems },
    ...(options.pool === undefined ? {} : { pool: options.pool }),
    ...(options.secondsPerChunk === undefined ? {} : { secondsPerChunk: options.secondsPerChunk }),
  });

export const registry = createRegistry([
  workload('odd', { maxItems: 20 }),
  workload('outage', { maxItems: 50 }),
  workload('long', { maxItems: 1_000 }),
  workload('heavy', { maxItems: 1, secondsPerChunk: 1 }),
  workload('patient', { maxItems: 1, timeoutSeconds: 10 }),
  workload('other', { maxItems: 20, pool: 'other' }),
]);
