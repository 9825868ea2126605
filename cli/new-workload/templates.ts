/** The text of a new workload: one that runs as it is, with a line on each thing that is there to be changed. */
export const workloadText = (name: string): string => `import { z } from 'zod';
import { defineWorkload } from '../shared/workload/define.ts';
import { Reject } from '../shared/workload/errors.ts';

/** One record of an upload. What does not fit is a dead letter, "invalid"; other records go on. */
const item = z.object({
  id: z.string().min(1).max(64),
  group: z.string().min(1).max(64),
  // A whole number: sums of floats depend on the order in which chunks finish.
  amount: z.int(),
});

/** TODO: what comes in → what comes out → what the report holds. */
export default defineWorkload({
  name: '${name}',
  // Count up when the meaning of items or results changes: batches and dead letters carry it.
  version: 1,
  item,
  // Runs at least once for each item, in a worker thread. What it writes elsewhere has to stand a repeat.
  map: ({ id, group, amount }, { attempt }) => {
    // A dead letter at once. new Retry(…), or any other error, is tried again: 5 times in all, or as \`retry\` says.
    if (amount < 0) throw new Reject(\`Expected an amount of zero or more, got \${amount}.\`);
    return { id, group, amount, attempt };
  },
  // The report: one row a key. Leave it out, and there are results only.
  reduce: {
    key: ({ group }) => group,
    init: () => ({ count: 0, amount: 0 }),
    add: (total, { amount }) => ({ count: total.count + 1, amount: total.amount + amount }),
    // Chunks finish in any order: a with b has to be b with a, and what comes out has to be JSON.
    merge: (a, b) => ({ count: a.count + b.count, amount: a.amount + b.amount }),
  },
  // What a chunk may take is 1 s or so: fewer items where each takes long.
  chunk: { maxItems: 5_000 },
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
import { runWorkload } from '../../kit/run-workload.ts';

it('${name} turns records into results, dead letters and a report', async () => {
  const { results, deadLetters, report } = await runWorkload(workload, [
    { id: '1', group: 'a', amount: 2 },
    { id: '2', group: 'a', amount: 3 },
    { id: '3', group: 'b', amount: -1 },
    { id: '4' },
  ]);
  expect(results).toHaveLength(2);
  expect(deadLetters.map(({ index, reason }) => [index, reason])).toEqual([
    [2, 'rejected'],
    [3, 'invalid'],
  ]);
  expect(report).toEqual({ a: { count: 2, amount: 5 } });
});
`;
