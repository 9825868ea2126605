import type { Mutant } from './mutant.ts';

export const LEDGER: readonly Mutant[] = [
  {
    name: 'a chunk that is done is counted again',
    file: 'shared/batches/apply/plan-apply.ts',
    find: "if (found?.row.state === 'pending') {",
    replace: 'if (found !== undefined) {',
    tests: ['tests/unit/batches/apply/apply-outcomes.test.ts'],
  },
  {
    name: 'the batch row is replaced although it has changed',
    file: 'shared/batches/apply/plan-apply.ts',
    find: `  'Replace',
  { etag },
];`,
    replace: `  'Replace',
  { etag: '*' },
];`,
    tests: ['tests/unit/batches/apply/apply-outcomes.test.ts'],
  },
  {
    name: 'a transaction whose answer was lost counts as refused',
    file: 'shared/batches/apply/apply-outcomes.ts',
    find: 'if (refused && isWritten(read, refused.applied)) {',
    replace: 'if (false as boolean && refused) {',
    tests: ['tests/unit/batches/apply/apply-outcomes.test.ts'],
  },
  {
    name: 'collecting changes the state of a batch that is not queued',
    file: 'shared/batches/apply/plan-apply.ts',
    find: "if (batch.state === 'queued') batch.state",
    replace: 'batch.state',
    tests: ['tests/unit/batches/apply/apply-outcomes.test.ts'],
  },
  {
    name: 'follow-ups of a repeated end are not returned',
    file: 'shared/batches/apply/plan-apply.ts',
    find: `      applied.repeated.push(...stillPending(read, found?.row));
`,
    replace: '',
    tests: ['tests/unit/batches/apply/apply-outcomes.test.ts'],
  },
  {
    name: 'a message that is delivered again is charged again',
    file: 'shared/batches/apply/plan-apply.ts',
    find: 'outcomes.filter(({ chunk, message }) => read.chunks.get(chunk)?.row.endedBy !== message)',
    replace: '[...outcomes]',
    tests: ['tests/unit/batches/apply/apply-outcomes.test.ts'],
  },
  {
    name: 'a transaction ends a batch that has pending chunks',
    file: 'shared/batches/apply/apply-outcomes.ts',
    find: ' || batch.chunksDone !== batch.chunksTotal)',
    replace: ')',
    tests: ['tests/unit/results/end-in-transaction.test.ts', 'tests/unit/batches/apply/apply-outcomes.test.ts'],
  },
  {
    name: 'an upload takes the batch that another one has created for its own',
    file: 'shared/batches/ledger.ts',
    find: 'if (found?.row.payload !== row.payload) return undefined;',
    replace: 'if (found === undefined) return undefined;',
    tests: ['tests/unit/batches/ledger.test.ts', 'tests/unit/intake/accept.test.ts'],
  },
  {
    name: "an upload whose answer was lost takes its own batch for another's",
    file: 'shared/batches/ledger.ts',
    find: 'if (found?.row.payload !== row.payload) return undefined;',
    replace: 'if (found) return undefined;',
    tests: [
      'tests/unit/batches/ledger.test.ts',
      'tests/unit/intake/accept.test.ts',
      'tests/integration/pipeline/inbox/inbox-faults.test.ts',
    ],
  },
  {
    name: 'one chunk row that exists keeps out the others of its transaction',
    file: 'shared/batches/ledger.ts',
    find: `    for (const chunk of group) await wins(table.createEntity(toChunkEntity(chunk)));
`,
    replace: '',
    tests: ['tests/unit/batches/ledger.test.ts', 'tests/integration/sweep/sweep-batches.test.ts'],
  },
  {
    name: 'a revision is opened although the batch has changed',
    file: 'shared/batches/ledger.ts',
    find: "toBatchEntity(row), 'Replace', { etag }]",
    replace: "toBatchEntity(row), 'Replace', { etag: '*' }]",
    tests: ['tests/unit/batches/ledger.test.ts', 'tests/integration/commands/redrive.test.ts'],
  },
  {
    name: 'a group of ends does not fit into one transaction',
    file: 'shared/results/collect-batch.ts',
    find: 'if (rows > room) {',
    replace: 'if (room === 0) {',
    tests: ['tests/unit/results/collect-batch.test.ts'],
  },
];
