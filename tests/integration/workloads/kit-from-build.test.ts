import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../../../dist');

it('the kit runs a workload in a thread from the build, as the installed command has it', async () => {
  const script = `
    const { runWorkload } = await import('${DIST}/shared/kit/run-workload.js');
    const { default: payouts } = await import('${DIST}/workloads/payouts.js');
    const { deadLetters } = await runWorkload(payouts, [{}], { threads: true });
    console.log(deadLetters.map(({ reason }) => reason).join());
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('invalid\n');
});
