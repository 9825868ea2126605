import type { Mutant } from './mutant.ts';

export const SWEEP: readonly Mutant[] = [
  {
    name: 'references are put again although their queue has messages',
    file: 'shared/sweep/repair-batch.ts',
    find: 'isWanted: ({ chunk }) => isEmpty(queueOf(workload, batch, chunk)),',
    replace: 'isWanted: async ({ chunk }) => isEmpty(queueOf(workload, batch, chunk)).then(() => true),',
    tests: ['tests/integration/sweep/sweep-batches.test.ts', 'tests/integration/sweep/sweep.test.ts'],
  },
  {
    name: 'references are put again although their results may be under way',
    file: 'shared/sweep/repair-batch.ts',
    find: ' || (await run.depthOf(resultsQueueName(workload.name))) > 0',
    replace: '',
    tests: ['tests/integration/sweep/sweep-batches.test.ts', 'tests/integration/sweep/sweep.test.ts'],
  },
  {
    name: 'references of a paused batch are put again',
    file: 'shared/sweep/repair-batch.ts',
    find: `  if (state === 'paused') return endPause(run, row);
`,
    replace: '',
    tests: ['tests/integration/sweep/sweep-batches.test.ts', 'tests/integration/commands/pause.test.ts'],
  },
  {
    name: 'the row of a redrive that is just being accepted is closed',
    file: 'shared/sweep/repair-batch.ts',
    find: `  if (open.revision > revision && !isOverdue(run, open.openedAt, 'orphanMs')) return;
`,
    replace: '',
    tests: ['tests/integration/sweep/sweep-batches.test.ts', 'tests/integration/sweep/sweep.test.ts'],
  },
  {
    name: 'the row of an upload that is just being accepted is closed',
    file: 'shared/sweep/repair-batch.ts',
    find: `  if (!isOverdue(run, open.openedAt, 'orphanMs')) return;
`,
    replace: '',
    tests: ['tests/integration/sweep/sweep-batches.test.ts', 'tests/integration/sweep/sweep.test.ts'],
  },
  {
    name: 'the payload of an accepted batch counts as an orphan',
    file: 'shared/sweep/orphan-payloads.ts',
    find: `  if ((await readBatch(run.table, batch))?.row.payload === blob.name) return;
`,
    replace: '',
    tests: ['tests/integration/sweep/chores.test.ts'],
  },
  {
    name: 'an old batch that has just ended again is expired',
    file: 'shared/sweep/expire-batches.ts',
    find: `  if (found && (!isFinished(found.row.state) || (found.row.completedAt ?? '') >= before)) return;
`,
    replace: '',
    tests: ['tests/integration/sweep/chores.test.ts'],
  },
  {
    name: 'the sweep wakes a queue that an operator has paused',
    file: 'shared/sweep/repair-queue.ts',
    find: `  if (presentPause(gate, run.gate.now())?.by === 'operator') return;
`,
    replace: '',
    tests: ['tests/integration/sweep/sweep.test.ts', 'tests/integration/sweep/sweep-batches.test.ts'],
  },
];
