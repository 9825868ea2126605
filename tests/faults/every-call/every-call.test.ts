import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runEveryCall } from './every-call.ts';
import type { CallRun } from './run.ts';

/** Each mode tries every n-th call, starting with a different one; 1 tries every call in every mode. */
const stride = Number(process.env.SLUICE_FAULTS_STRIDE ?? 3);
const CELLS = 4;
const TIMEOUT_MS = 3_600_000;

test(
  'the small batch ends with the exact report, whichever call fails in whichever way',
  async () => {
    // Prepare
    const folder = await mkdtemp(join(tmpdir(), 'sluice-every-call-'));

    // Act
    const runs = await runEveryCall({ name: 'faults/every-call', folder, cells: CELLS, stride });

    // Assess
    const reached = runs.filter(({ failed }) => failed !== undefined);
    const paused = reached.filter(({ pauses }) => pauses);
    console.log(`${reached.length} of ${runs.length} runs had their fault, ${paused.length} of them with a pause`);
    expect(runs.filter(({ problems }) => problems.length > 0).map(describe)).toEqual([]);
    const services = new Set(runs.flatMap(({ calls }) => calls.map((call) => call.split(' ')[0])));
    expect([...services].sort()).toEqual(['blob', 'broker', 'durable', 'queue', 'table']);
    // Pages that end early and overlapping drains make about 102 to 120 calls; the plan exceeds the maximum.
    expect(reached.length).toBeGreaterThan(runs.length * 0.7);
    await rm(folder, { recursive: true, force: true });
  },
  TIMEOUT_MS,
);

const describe = ({ mode, k, pauses, failed, problems }: CallRun): string =>
  `${pauses ? 'from the pause on, ' : ''}${mode} ${k} (${failed}): ${problems.join('; ')}`;
