import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkload } from '../../../cli/new-workload/create-workload.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;

/** A checkout that shares all but its workloads with this one; inside of it, so that packages are found. */
beforeAll(async () => {
  await mkdir(join(ROOT, '.sluice'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.sluice/new-workload-'));

  await cp(join(ROOT, 'workloads'), join(folder, 'workloads'), { recursive: true });
  await cp(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
  await symlink(join(ROOT, 'shared'), join(folder, 'shared'));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', include: ['workloads/index.ts', 'tests/unit'] }),
  );
  await createWorkload(folder, 'invoice-checks');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (command: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(join(ROOT, 'node_modules/.bin', command), args, { cwd: folder, env: { PATH: process.env.PATH } });

it('passes its own test', async () => {
  const { stdout } = await run('vitest', 'run', '--root', folder);
  expect(stdout).toMatch(/Tests .*1 passed/);
});

it('is in the project’s style and types', async () => {
  const files = ['workloads/invoice-checks.ts', 'workloads/index.ts', 'tests/unit/workloads/invoice-checks.test.ts'];
  const [lint] = await Promise.all([
    run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', `--config-path=${folder}`, ...files),
    run('tsc', '-p', folder),
  ]);
  expect(lint.stdout + lint.stderr).toContain('Checked 3 files');
});
