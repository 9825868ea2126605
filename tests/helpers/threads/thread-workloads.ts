/** Workloads whose handlers do what an item says: succeed, fail, hang, or end their thread. */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { serve } from '../../../shared/processing/thread/serve.ts';
import { defineWorkload, type ItemContext } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';

/** `calls`: a file to which each call appends the item's id, so that the record outlives the thread. */
const item = z.object({ id: z.number(), act: z.string().default('ok'), calls: z.string().optional() });
type Item = z.infer<typeof item>;

/** Items begin at position 100. */
const done = ({ position }: ItemContext): { id: number } => ({ id: position - 100 });

const acts: Record<string, (context: ItemContext) => unknown> = {
  reject: () => {
    throw new Reject('order 17 is closed');
  },
  retry: () => {
    throw new Retry('upstream is busy', { after: 30 });
  },
  throw: () => {
    throw new Error('boom');
  },
  nothing: () => undefined,
  bigint: () => 1n,
  badKey: () => ({ key: 7 }),
  badValue: () => ({ key: 'badValue', poison: true }),
  async: () => delay(1, { act: 'async' }),
  asyncThrow: async () => {
    await delay(1);
    throw new Error('later');
  },
  hangAsync: () => new Promise(() => {}),
  awaitAbort: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  hangSync: () => {
    for (;;);
  },
  exit: () => process.exit(3),
  uncaught: async () => {
    setTimeout(() => {
      throw new RangeError('thrown in a timer');
    });
    await delay(10_000);
  },
  oom: () => {
    const hoard: unknown[] = [];
    for (;;) hoard.push({ row: hoard.length, cells: [1, 2, 3] });
  },
  large: ({ position }) => ({ text: `${position} `.repeat(1_000_000) }),
  log: ({ log }) => log('hello'),
  wait: async (context) => {
    await delay(30);
    return done(context);
  },
  waitAndExit: async () => {
    await delay(10);
    process.exit(3);
  },
  floating: async () => {
    void Promise.reject(new Error('nobody awaits this'));
    await delay(20);
  },
  late: (context) => {
    setTimeout(() => {
      throw new Error('comes too late');
    }, 10);
    return done(context);
  },
  /** Like the first user of a connection pool: the errors of its connection occur in the context of this item. */
  opensShared: async (context) => {
    if (!isOpen) {
      setTimeout(() => {
        throw new Error('the connection is gone');
      }, 10);
    }
    isOpen = true;
    await delay(30);
    return done(context);
  },
  /** Succeeds, and leaves work that ends the thread as soon as `meetsTrap` runs in it. */
  leavesTrap: (context) => {
    endThread = () => process.exit(3);
    return done(context);
  },
  meetsTrap: async (context) => {
    if (endThread === undefined) return done(context);
    setImmediate(endThread);
    return new Promise(() => {});
  },
  slow: (context) => {
    const end = performance.now() + 60;
    while (performance.now() < end);
    return done(context);
  },
};
let isOpen = false;
let endThread: (() => void) | undefined;

function run(one: Item, context: ItemContext): unknown {
  if (one.calls !== undefined) appendFileSync(one.calls, `${one.id}\n`);
  const act = acts[one.act];
  return act ? act(context) : { id: one.id, attempt: context.attempt };
}

const common = { version: 3, item, retry: { attempts: 3 }, timeoutSeconds: 0.2 };

const each = defineWorkload({
  ...common,
  name: 'each',
  map: run,
  reduce: {
    key: (result) => {
      const { key = 'all' } = (result ?? {}) as { key?: string };
      return key;
    },
    init: () => ({ n: 0 }) as { n: unknown },
    add: (acc, result) => ({ n: (result as { poison?: boolean } | undefined)?.poison ? 1n : Number(acc.n) + 1 }),
    merge: (a, b) => ({ n: Number(a.n) + Number(b.n) }),
  },
});

const whole = defineWorkload({
  ...common,
  name: 'whole',
  mapChunk: (items: Item[], contexts) => {
    if (items.some(({ act }) => act === 'short')) return [];
    if (items.some(({ act }) => act === 'throwAll')) throw new Error('all of them');
    if (items.some(({ act }) => act === 'hangAll')) return new Promise<never>(() => {});
    return items.map((one, i) => {
      const context = contexts[i];
      if (one.act === 'error') return new Reject('not this one');
      return context ? run(one, context) : undefined;
    });
  },
});

const patient = defineWorkload({ ...common, name: 'patient', map: run, timeoutSeconds: 60 });

// biome-ignore lint/style/noDefaultExport: a thread's file exports its function as default
export default serve(createRegistry([each, whole, patient]));
