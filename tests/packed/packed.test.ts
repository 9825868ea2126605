import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from 'functions-local';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../packages/functions-local/tests/helpers/cli-process.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const APP = join(ROOT, 'packages/functions-local/tests/integration/cli/fixtures/orders-app');
/** The packages that are packed beside the app. */
const WORKSPACES = ['functions-local', 'sluice-convert'];
/** The packages that the tested app imports. */
const APP_PACKAGES = ['@azure/functions', 'durable-functions'];

interface Locked {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'sluice-packed-'));
  // Without scripts, because they would rebuild the files that other tests run.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  const { stdout } = await run(
    'npm',
    [...pack, '.', ...WORKSPACES.flatMap((name) => ['--workspace', name]), '--include-workspace-root'],
    {
      cwd: ROOT,
    },
  );
  const packed = Object.values(JSON.parse(stdout) as Record<string, { name: string; filename: string }>);
  await cp(APP, project, { recursive: true });
  await writeProject(Object.fromEntries(packed.map(({ name, filename }) => [name, `file:${filename}`])));
  await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: project });
});
afterAll(() => rm(project, { recursive: true, force: true }));

/**
 * Writes a project that depends only on the packed packages and those of its app. Its lock file has the versions of this
 * repository, so that a new release of a dependency cannot break the test.
 */
async function writeProject(packed: Record<string, string>): Promise<void> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const versionOf = (name: string): string => lock.packages[`node_modules/${name}`]?.version ?? '';
  const dependencies = { ...packed, ...Object.fromEntries(APP_PACKAGES.map((name) => [name, versionOf(name)])) };
  const needed = new Map<string, Locked>();
  const add = (from: string, name: string): void => {
    const path = resolve(lock.packages, from, name);
    const locked = path === undefined ? undefined : lock.packages[path];
    if (path === undefined || locked === undefined || needed.has(path)) return;
    needed.set(path, locked);
    for (const next of namesOf(locked)) add(path, next);
  };
  for (const start of ['', 'packages/functions-local', 'packages/convert']) {
    const { dependencies: direct, optionalDependencies } = lock.packages[start] ?? {};
    for (const name of namesOf({ dependencies: { ...direct }, optionalDependencies: { ...optionalDependencies } }))
      add(start, name);
  }
  const itself = { name: 'empty', version: '1.0.0', private: true, type: 'module', dependencies };
  const app = JSON.parse(await readFile(join(APP, 'package.json'), 'utf8')) as { main: string };
  await writeFile(join(project, 'package.json'), JSON.stringify({ ...itself, main: app.main }));
  const packages = { '': itself, ...Object.fromEntries(needed) };
  const file = { name: itself.name, version: itself.version, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(project, 'package-lock.json'), JSON.stringify(file));
}

const namesOf = ({ dependencies, optionalDependencies }: Locked): string[] =>
  Object.keys({ ...dependencies, ...optionalDependencies });

/** Returns the path of the package in the lock file that `from` resolves a name to: in its own folder or a parent. */
function resolve(packages: Record<string, Locked>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.includes('/') ? dirname(folder) : '') {
    const path = join(folder, 'node_modules', name);
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

it('runs the sluice command with only its package installed', async () => {
  const command = join(project, 'node_modules/.bin/sluice');

  expect((await run(command, ['--help'])).stdout).toContain('Usage: sluice');
  const address = `127.0.0.1:${await freePort()}`;
  const refused = run(command, ['health', '--url', `http://${address}`]);
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining(`Nothing answers at ${address}`) });
});

it('converts a file with only the package of conversions installed', async () => {
  const text =
    'import("sluice-convert").then(({ parquetToNdjson: convert }) => convert({ path: "none", name: "none" }).next())';

  await expect(run(process.execPath, ['-e', text], { cwd: project })).rejects.toMatchObject({
    stderr: expect.stringContaining('ConversionError: none cannot be read as a Parquet file'),
  });
});

it('runs an app with functions-local with only its package installed', async () => {
  const bin = join(project, 'node_modules/functions-local/bin/functions-local.js');
  const cli = runCli(['start', project, '--port', '0', '--data', join(project, '.data')], {}, bin);
  try {
    const [, url] = await cli.waitFor(/^Host started on (http:\S+)$/m);
    const answer = await fetch(`${url}/api/orders`, {
      method: 'POST',
      body: JSON.stringify({ id: '1', amounts: [1] }),
    });
    expect(answer.status).toBe(202);
  } finally {
    expect(await cli.stop()).toBe(0);
  }
});
