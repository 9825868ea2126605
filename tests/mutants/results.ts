import type { Mutant } from './mutant.ts';

export const RESULTS: readonly Mutant[] = [
  {
    name: 'the outcome of a chunk that ends after the deletion of its batch stays',
    file: 'shared/results/collect-batch.ts',
    find: 'await forBatch(id, () => cleaningUp(deps, { id, workload: work.workload }, () => collectOutcomes(deps, id, work)));',
    replace: 'await collectOutcomes(deps, id, work);',
    tests: ['tests/faults/deletion/deletion.test.ts'],
  },
  {
    name: 'a batch with a pending chunk ends',
    file: 'shared/results/finalize.ts',
    find: `  if (rows.some((row) => row.state === 'pending')) return undefined;
`,
    replace: '',
    tests: ['tests/unit/results/finalize.test.ts'],
  },
  {
    name: 'a batch ends although its row has more chunks than were read',
    file: 'shared/results/finalize.ts',
    find: `  if (chunksDone !== rows.length || chunksTotal !== rows.length) return undefined;
`,
    replace: '',
    tests: ['tests/unit/results/finalize.test.ts'],
  },
  {
    name: 'the end of a revision ends a later one',
    file: 'shared/results/finalize.ts',
    find: 'isFinished(now.state) || now.revision !== batch.revision ? undefined',
    replace: 'isFinished(now.state) ? undefined',
    tests: ['tests/unit/results/finalize.test.ts'],
  },
  {
    name: 'a batch ends twice',
    file: 'shared/results/finalize.ts',
    find: 'isFinished(now.state) || now.revision !== batch.revision ? undefined',
    replace: 'now.revision !== batch.revision ? undefined',
    tests: ['tests/unit/results/finalize.test.ts'],
  },
  {
    name: 'the announcement of a revision marks a later one',
    file: 'shared/results/announce.ts',
    find: 'now.revision === revision && !now.announced',
    replace: '!now.announced',
    tests: ['tests/unit/results/finalize.test.ts', 'tests/unit/results/end-in-transaction.test.ts'],
  },
  {
    name: 'the ends of two revisions have the same message id',
    file: 'shared/results/announce.ts',
    find: `\`completed-\${batch.id}-\${revision}\``,
    replace: `\`completed-\${batch.id}\``,
    tests: [
      'tests/unit/results/finalize.test.ts',
      'tests/unit/results/end-in-transaction.test.ts',
      'tests/integration/commands/redrive.test.ts',
    ],
  },
  {
    name: 'the result message of a batch that could not be collected is deleted',
    file: 'shared/results/collect-round.ts',
    find: 'value.chunks.every(({ batch }) => !failed.has(batch))',
    replace: 'value.chunks.length > 0',
    tests: ['tests/unit/results/collect-round.test.ts'],
  },
  {
    name: 'references of a paused batch are put',
    file: 'shared/results/collect-batch.ts',
    find: `  if (batch.state === 'paused') return;
`,
    replace: '',
    tests: [
      'tests/unit/results/collect-batch.test.ts',
      'tests/unit/results/collect-round.test.ts',
      'tests/integration/commands/pause.test.ts',
    ],
  },
  {
    name: 'the references of follow-ups are not put again after a crash',
    file: 'shared/results/collect-batch.ts',
    find: `  await enqueue(deps, batch, timed(repeated), { resent: true });
`,
    replace: '',
    tests: ['tests/unit/results/collect-batch.test.ts', 'tests/unit/results/collect-round.test.ts'],
  },
];
