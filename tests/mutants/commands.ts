import type { Mutant } from './mutant.ts';

export const COMMANDS: readonly Mutant[] = [
  {
    name: 'the key of a deleted batch is free while its file is in the inbox',
    file: 'shared/commands/delete.ts',
    find: `    await deleteInboxFile(deps, row);
`,
    replace: '',
    tests: ['tests/integration/commands/delete.test.ts'],
  },
  {
    name: 'two deletions at the same time leave what the later one has written',
    file: 'shared/batches/remove-batch.ts',
    find: 'else await removeLeftovers(deps, { id, workload });',
    replace: '',
    tests: ['tests/faults/deletion/deletion.test.ts'],
  },
  {
    name: 'a redrive starts on a batch that is not finished',
    file: 'shared/commands/redrive/redrive.ts',
    find: `    requireFinished(row);
`,
    replace: '',
    tests: ['tests/integration/commands/redrive-races.test.ts'],
  },
  {
    name: 'a revision is opened on a batch that is not finished any more',
    file: 'shared/commands/redrive/redrive.ts',
    find: `    requireFinished(found.row);
`,
    replace: '',
    tests: ['tests/integration/commands/redrive-races.test.ts'],
  },
  {
    name: 'two redrives open one revision after the other from the same dead letters',
    file: 'shared/commands/redrive/redrive.ts',
    find: 'if (found.row.revision !== stored.redrive.revision - 1)',
    replace: 'if (false as boolean)',
    tests: ['tests/integration/commands/redrive-races.test.ts'],
  },
  {
    name: 'a key stands for two different redrives',
    file: 'shared/commands/redrive/redrive.ts',
    find: `    if (stored && stored.redrive.request !== digest) throw mismatch();
`,
    replace: '',
    tests: ['tests/integration/commands/redrive.test.ts'],
  },
  {
    name: 'a selection that can never be accepted stays',
    file: 'shared/commands/redrive/redrive.ts',
    find: 'await dropStale(deps, stored);',
    replace: 'return accept(deps, row, stored);',
    tests: ['tests/integration/commands/redrive-races.test.ts'],
  },
  {
    name: 'a redrive opens a revision before the end of the last one is published',
    file: 'shared/commands/redrive/redrive.ts',
    find: `  await announce(deps, row);
`,
    replace: '',
    tests: ['tests/integration/commands/redrive-races.test.ts'],
  },
  {
    name: 'a redrive is accepted before a sweep can see it',
    file: 'shared/commands/redrive/redrive.ts',
    find: `  await writeOpenRow(deps.table, opening(deps, row, stored));
`,
    replace: '',
    tests: ['tests/integration/commands/redrive.test.ts', 'tests/integration/sweep/walk-through.test.ts'],
  },
  {
    name: 'a second selection replaces the first',
    file: 'shared/commands/redrive/redrive-blob.ts',
    find: `      conditions: { ifNoneMatch: '*' },
`,
    replace: '',
    tests: ['tests/integration/commands/redrive-races.test.ts'],
  },
  {
    name: 'a batch that is cancelled while it is accepted never gets its other rows',
    file: 'shared/commands/cancel.ts',
    find: `    if (row.state === 'enqueueing') await insertChunks(deps.table, rowsOfRevision(deps, row));
`,
    replace: '',
    tests: ['tests/integration/commands/cancel.test.ts'],
  },
  {
    name: 'a cancel ends a chunk that a worker may be running',
    file: 'shared/commands/cancel-pending.ts',
    find: "  return gate.status === 'draining';",
    replace: '  return false;',
    tests: ['tests/integration/commands/cancel.test.ts'],
  },
  {
    name: 'a cancel waits for a worker that is out of contact',
    file: 'shared/commands/cancel-pending.ts',
    find: `  if (now > (Date.parse(batch.cancellingAt ?? '') || 0) + deps.visibilitySeconds * 1_000) return false;
`,
    replace: '',
    tests: ['tests/integration/commands/cancel.test.ts', 'tests/integration/sweep/sweep-batches.test.ts'],
  },
  {
    name: 'a cancelled batch without pending chunks does not end',
    file: 'shared/commands/cancel-pending.ts',
    find: `  if (pass.seen === 0 && pass.isWhole) await finalize(deps, batch.id);
`,
    replace: '',
    tests: ['tests/integration/commands/cancel.test.ts'],
  },
  {
    name: 'a batch that runs is deleted',
    file: 'shared/commands/delete.ts',
    find: `    if (!isFinished(row.state))
      throw`,
    replace: `    if (row.state === 'enqueueing')
      throw`,
    tests: ['tests/integration/commands/delete.test.ts'],
  },
  {
    name: 'a batch is deleted before its end is published',
    file: 'shared/commands/delete.ts',
    find: 'if (!row.announced) {',
    replace: 'if (false as boolean) {',
    tests: ['tests/integration/commands/delete.test.ts'],
  },
  {
    name: 'a deletion takes the inbox file of another batch',
    file: 'shared/commands/delete.ts',
    find: 'if (metadata?.batch === id) await',
    replace: 'await',
    tests: ['tests/integration/commands/delete.test.ts'],
  },
  {
    name: 'an older resume removes the mark of a later one',
    file: 'shared/commands/pause.ts',
    find: 'resumingAt !== undefined && resumes === batch.resumes ?',
    replace: 'resumingAt !== undefined ?',
    tests: ['tests/integration/commands/pause.test.ts'],
  },
];
