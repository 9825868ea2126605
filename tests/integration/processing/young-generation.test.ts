import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../helpers/threads/young-generation.ts', import.meta.url));

/** Size of both semi-spaces of a worker thread in MiB, in a process with these NODE_OPTIONS. */
async function youngMib(nodeOptions: string): Promise<number> {
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', script], { env });
  return Number(stdout);
}

/** Three semi-spaces of 8 MiB; twice as large, they would be 32 MiB or more. */
const MAX_MIB = 24;

it('the young generation of a worker thread has the same size with and without the option that deployments set', async () => {
  expect(await youngMib('--max-semi-space-size=8')).toBeLessThanOrEqual(MAX_MIB);
  expect(await youngMib('')).toBeLessThanOrEqual(MAX_MIB);
});
