/**
 * The runs must be able to fail: an app with one rule removed is detected by a failure of the call that the rule
 * protects.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { buildAppCopy, type Mutation } from '../../helpers/app-copy.ts';
import { FAULT_APP } from '../harness/fault-app.ts';
import { type Cells, startCells } from './cells.ts';
import type { FaultMode } from './director.ts';
import { runWithFault } from './run.ts';

const PATIENCE_MS = 20_000;
const TIMEOUT_MS = 300_000;

interface Mutant {
  name: string;
  mutation: Mutation;
  /** The first matching call fails in this way. */
  call: RegExp;
  mode: FaultMode;
  /** The problem that the run reports. */
  found: RegExp;
}

const MUTANTS: Mutant[] = [
  {
    name: 'references deleted before their results are published',
    mutation: {
      from: 'const refused = new Set();',
      to: 'const refused = new Set();\n    await Promise.all(waiting.map(({ entry }) => lease.delete(entry.message.messageId)));',
    },
    call: /queue DELETE .*-normal-0\/messages/,
    mode: 'exit',
    found: /^stuck/,
  },
  {
    name: 'a repeated result message counts again',
    mutation: {
      from: "if (found?.row.state === 'pending')",
      to: 'if (found !== undefined)',
    },
    call: /queue DELETE .*-results\/messages/,
    mode: 'before',
    found: /accepted is not|stuck|not at rest|counts/,
  },
];

let cells: Cells | undefined;
let folder = '';

afterEach(async () => {
  await cells?.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each(MUTANTS)(
  'detects the mutant: $name',
  async ({ mutation, call, mode, found }) => {
    // Prepare
    folder = await mkdtemp(join(tmpdir(), 'sluice-mutant-'));
    const appFolder = await buildAppCopy({ ...FAULT_APP, name: 'faults/mutant', mutations: [mutation] });
    cells = await startCells(1, appFolder, folder);
    const [cell] = cells.cells;
    if (!cell) throw new Error('There is no cell.');

    // Act
    const { failed, problems } = await runWithFault(cell, 'split0', { k: { call }, mode }, { patienceMs: PATIENCE_MS });

    // Assess
    expect(failed).toMatch(call);
    expect(problems.join('\n')).toMatch(found);
  },
  TIMEOUT_MS,
);
