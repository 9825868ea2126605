/**
 * Workloads of the upgrade tests: one per recorded state, so that each state has its own queues. Recordings name them:
 * none may be renamed or removed, and the sizes of chunks may not change. They replace the app's own workloads
 * (tests/helpers/app-copy.ts).
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { z } from 'zod';
import { defineWorkload, type ItemContext } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';

const item = z.object({
  n: z.number(),
  do: z.enum(['reject', 'hold', 'later', 'wait']).optional(),
  pad: z.string().optional(),
});
type Item = z.infer<typeof item>;

/** Folder with `calls/`, where calls are counted, and the file `hold`: while it exists, items that say `hold` wait. */
const { UPGRADE_FOLDER = '', WEBSITE_INSTANCE_ID = '' } = process.env;
const POLL_MS = 50;
/** Long enough that a batch is still running when another instance starts. */
const WAIT_MS = 200;

async function hold(signal: AbortSignal): Promise<void> {
  while (existsSync(join(UPGRADE_FOLDER, 'hold'))) await sleep(POLL_MS, undefined, { signal });
}

const BEHAVIOURS: Record<NonNullable<Item['do']>, (context: ItemContext) => void | Promise<void>> = {
  reject: () => {
    throw new Reject('no such account');
  },
  hold: ({ signal }) => hold(signal),
  later: ({ attempt, signal }) => {
    if (attempt === 1) throw new Retry('come again', { after: 1 });
    return hold(signal);
  },
  wait: async ({ signal }) => {
    await sleep(WAIT_MS, undefined, { signal });
  },
};

async function map({ n, do: behaviour }: Item, context: ItemContext): Promise<{ n: number }> {
  // A line is one write, so that the end of a process loses no earlier call.
  appendFileSync(join(UPGRADE_FOLDER, 'calls', `${WEBSITE_INSTANCE_ID}.${threadId}`), `${context.batch} ${n}\n`);
  if (behaviour !== undefined) await BEHAVIOURS[behaviour](context);
  return { n };
}

interface Sum {
  count: number;
  sum: number;
}

const workload = (name: string, maxItems: number) =>
  defineWorkload({
    name,
    version: 1,
    item,
    map,
    reduce: {
      key: () => 'all',
      init: (): Sum => ({ count: 0, sum: 0 }),
      add: (acc: Sum, { n }: { n: number }): Sum => ({ count: acc.count + 1, sum: acc.sum + n }),
      merge: (a: Sum, b: Sum): Sum => ({ count: a.count + b.count, sum: a.sum + b.sum }),
    },
    chunk: { maxItems },
    // More tasks per wave, so that several instances share the work of a batch.
    secondsPerChunk: 1,
    timeoutSeconds: 300,
    // The longest: a recording must not expire.
    retentionDays: 3_650,
  });

export const registry = createRegistry([
  workload('uploading', 5),
  workload('enqueueing', 5),
  workload('queued', 5),
  workload('retrying', 5),
  workload('running', 5),
  workload('paused', 5),
  workload('collecting', 1),
  workload('redriven', 20),
  workload('ended', 20),
  workload('rolling', 2),
]);
