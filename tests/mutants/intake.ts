import type { Mutant } from './mutant.ts';

export const INTAKE: readonly Mutant[] = [
  {
    name: 'an upload accepts its batch again after the deletion of that batch',
    file: 'shared/batches/keys.ts',
    find: 'if (found?.batch !== claim.batch) throw',
    replace: 'if (found === undefined) return;\n    if (found.batch === undefined) throw',
    tests: ['tests/unit/batches/keys.test.ts', 'tests/faults/deletion/deletion.test.ts'],
  },
  {
    name: 'the last try of a file that ended its process is not alone',
    file: 'shared/intake/submit.ts',
    find: 'if (starts === MAX_STARTS && request.crashes?.isAlone === false)',
    replace: 'if (false as boolean)',
    tests: ['tests/unit/intake/inbox/crashing-file.test.ts'],
  },
  {
    name: 'an upload that loses leaves its payload',
    file: 'shared/intake/accept.ts',
    find: `  await dropPayload(deps, created);
  if (stored`,
    replace: '  if (stored',
    tests: ['tests/unit/intake/accept.test.ts'],
  },
  {
    name: 'an upload gets the batch of other content',
    file: 'shared/intake/accept.ts',
    find: `  if (stored.row.digest !== created.digest) throw mismatch();
`,
    replace: '',
    tests: ['tests/unit/intake/accept.test.ts'],
  },
  {
    name: 'a batch is accepted before a sweep can see it',
    file: 'shared/intake/accept.ts',
    find: `  await writeOpenRow(deps.table, row);
`,
    replace: '',
    tests: ['tests/integration/sweep/walk-through.test.ts', 'tests/integration/sweep/sweep-batches.test.ts'],
  },
  {
    name: 'an intake that was delayed changes the state of a batch that has moved on',
    file: 'shared/intake/continue-intake.ts',
    find: "now.state === 'enqueueing' && now.revision === batch.revision ?",
    replace: 'now.revision === batch.revision ?',
    tests: ['tests/integration/commands/intake-races.test.ts'],
  },
  {
    name: 'an intake that was delayed marks a later revision as queued',
    file: 'shared/intake/continue-intake.ts',
    find: "now.state === 'enqueueing' && now.revision === batch.revision ?",
    replace: "now.state === 'enqueueing' ?",
    tests: ['tests/integration/commands/intake-races.test.ts'],
  },
  {
    name: 'an intake that continues begins at the first reference again',
    file: 'shared/intake/continue-intake.ts',
    find: 'const first = batch.enqueuedTo ?? 0;',
    replace: 'const first = 0;',
    tests: ['tests/unit/intake/continue-intake.test.ts'],
  },
  {
    name: 'progress is recorded before the references that it covers are put',
    file: 'shared/intake/continue-intake.ts',
    find: '({ enqueuedTo: Math.max(enqueuedTo, done) })',
    replace: '({ enqueuedTo: Math.max(enqueuedTo, done + piece.length) })',
    tests: ['tests/unit/intake/continue-intake.test.ts'],
  },
  {
    name: 'an intake has no time limit',
    file: 'shared/intake/continue-intake.ts',
    find: 'if (!isEnqueueing || deps.gate.now() >= untilMs)',
    replace: 'if (!isEnqueueing)',
    tests: ['tests/unit/intake/continue-intake.test.ts'],
  },
  {
    name: 'a redrive skips as many references as its upload had in the queues',
    file: 'shared/batches/revisions.ts',
    find: 'Object.keys(PRESENT_REVISION).map(',
    replace: "Object.keys(PRESENT_REVISION).filter((name) => name !== 'enqueuedTo').map(",
    tests: ['tests/unit/batches/revisions.test.ts'],
  },
  {
    name: 'two uploads hold one key',
    file: 'shared/batches/keys.ts',
    find: `  if (Date.parse(claimedUntil) > nowMs) throw inProgress();
`,
    replace: '',
    tests: ['tests/unit/batches/keys.test.ts'],
  },
  {
    name: 'an upload that continues a key has a new batch',
    file: 'shared/batches/keys.ts',
    find: 'return replace(table, entity, { ...fresh, batch, starts: starts + 1 });',
    replace: 'return replace(table, entity, { ...fresh, starts: starts + 1 });',
    tests: ['tests/unit/batches/keys.test.ts'],
  },
  {
    name: 'a finished key is claimed again',
    file: 'shared/batches/keys.ts',
    find: `  if (digest !== undefined) return { ...held, digest, repeated: true };
`,
    replace: '',
    tests: ['tests/unit/batches/keys.test.ts', 'tests/unit/intake/inbox/inbox.test.ts'],
  },
  {
    name: 'the deletion of a batch frees the key of another',
    file: 'shared/batches/keys.ts',
    find: 'if (found?.batch === batch) await',
    replace: 'if (found) await',
    tests: ['tests/unit/batches/keys.test.ts'],
  },
];
