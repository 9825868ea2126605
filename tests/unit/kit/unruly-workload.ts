/** A workload whose handler ends, blocks or disturbs its thread when its item says so. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload, type ItemContext } from '../../../shared/workload/define.ts';
import { Retry } from '../../../shared/workload/errors.ts';

const item = z.object({ id: z.number(), act: z.string() });

const acts: Record<string, (context: ItemContext) => unknown> = {
  wait: () => delay(30),
  exit: () => process.exit(3),
  waitAndExit: async () => {
    await delay(10);
    process.exit(3);
  },
  block: () => {
    for (;;);
  },
  once: async ({ attempt }) => {
    await delay(30);
    if (attempt === 1) throw new Retry('busy');
  },
  floating: async () => {
    void Promise.reject(new Error('nobody awaits this'));
    await delay(20);
  },
  late: () => {
    setTimeout(() => {
      throw new Error('comes too late');
    }, 5);
  },
  log: ({ log }) => log('hello'),
};

// biome-ignore lint/style/noDefaultExport: as the files in workloads/
export default defineWorkload({
  name: 'unruly',
  version: 1,
  item,
  retry: { attempts: 2 },
  map: async ({ id, act }, context) => {
    await acts[act]?.(context);
    return id;
  },
  reduce: { key: () => 'all', init: () => 0, add: (sum: number) => sum + 1, merge: (a: number, b: number) => a + b },
});
