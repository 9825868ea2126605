/** The text of a new workload: one that runs as it is, with a line on each thing that is there to be changed. */
export const workloadText = (name: string): string => `import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload, type ItemContext } from '../shared/workload/define.ts';
import { Reject } from '../shared/workload/errors.ts';

/** One record of an upload. What does not fit is a dead letter, "invalid"; other records go on. */
const item = z.object({
  id: z.string().min(1).max(64),
  group: z.string().min(1).max(64),
  // A whole number: sums of floats depend on the order in which chunks finish.
  amount: z.int(),
});

/**
 * TODO: call your service instead of waiting, with both: a repeat has the same key; the signal aborts when the time of the
 * item is over or its batch is cancelled. fetch(url, { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, signal })
 */
async function callService(amount: number, { idempotencyKey, signal }: ItemContext): Promise<{ receipt: string }> {
  await sleep(amount % 10, undefined, { signal });
  return { receipt: idempotencyKey };
}

/** TODO: what comes in → what comes out → what the report holds. */
export default defineWorkload({
  name: '${name}',
  // Increase it when the meaning of items or results changes: batches and dead letters carry it.
  version: 1,
  item,
  // Runs at least once for each item, in a worker thread. What it changes elsewhere has to be idempotent.
  map: async ({ id, group, amount }, context) => {
    // A dead letter at once. new Retry(…), or any other error, is tried again: 5 times in all, or as \`retry\` says.
    if (amount < 0) throw new Reject(\`Expected an amount of zero or more, got \${amount}.\`);
    const { receipt } = await callService(amount, context);
    return { id, group, amount, receipt };
  },
  // Calls in flight per thread: calls per second × seconds per call, divided by threads and instances.
  concurrency: 16,
  // The report: one row per key. Leave it out, and there are results only.
  reduce: {
    key: ({ group }) => group,
    init: () => ({ count: 0, amount: 0 }),
    add: (total, { amount }) => ({ count: total.count + 1, amount: total.amount + amount }),
    // Chunks finish in any order: a with b has to be b with a, and what comes out has to be JSON.
    merge: (a, b) => ({ count: a.count + b.count, amount: a.amount + b.amount }),
    // Once per key, after the last merge.
    finish: (_group, { count, amount }) => ({ count, amount, average: amount / count }),
  },
  // A chunk should take some seconds: items × seconds per call / concurrency. It runs again as a whole when a process dies.
  chunk: { maxItems: 500 },
  // Batches for somebody who waits, and large ones that may take their time.
  lanes: ['normal', 'bulk'],
  lane: (batch) => (batch.items > 50_000 ? 'bulk' : 'normal'),
  // From acceptance to report; a breach is logged and alerted.
  deadlineSeconds: 300,
});
`;

/** The text of its test. */
export const testText = (name: string): string => `import { expect, it } from 'vitest';
import workload from '../../../workloads/${name}.ts';
import { runWorkload } from '../../../shared/kit/run-workload.ts';

it('${name} turns records into results, dead letters and a report', async () => {
  const { results, deadLetters, report } = await runWorkload(workload, [
    { id: '1', group: 'a', amount: 2 },
    { id: '2', group: 'a', amount: 3 },
    { id: '3', group: 'b', amount: -1 },
    { id: '4' },
  ]);
  expect(results).toMatchObject([{ id: '1' }, { id: '2' }]);
  expect(deadLetters.map(({ index, reason }) => [index, reason])).toEqual([
    [2, 'rejected'],
    [3, 'invalid'],
  ]);
  expect(report).toEqual({ a: { count: 2, amount: 5, average: 2.5 } });
});
`;
