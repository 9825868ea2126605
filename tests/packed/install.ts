/** Installs an app with the versions of this repository, and runs npm in it. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './pack-released.ts';

export const run = promisify(execFile);

interface Locked {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
interface About {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/**
 * Installs the packages of `project`. Its lock file has the versions of this repository, so that a new release of a
 * dependency cannot break the test.
 */
export async function install(project: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const about = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as About;
  const needed = new Map<string, Locked>();
  const add = (from: string, name: string): void => {
    const path = resolve(lock.packages, from, name);
    const locked = path === undefined ? undefined : lock.packages[path];
    if (path === undefined || locked === undefined || path === '' || 'link' in locked || needed.has(path)) return;
    needed.set(path, locked);
    for (const next of namesOf(locked)) add(path, next);
  };
  for (const start of ['', 'packages/functions-local', 'packages/convert']) {
    const { dependencies, optionalDependencies } = lock.packages[start] ?? {};
    for (const name of namesOf({
      dependencies: { ...dependencies },
      optionalDependencies: { ...optionalDependencies },
    }))
      add(start, name);
  }
  for (const name of Object.keys({ ...about.dependencies, ...about.devDependencies })) add('', name);
  const { name, version, dependencies, devDependencies } = about;
  const packages = { '': { name, version, dependencies, devDependencies }, ...Object.fromEntries(needed) };
  const file = { name, version, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(project, 'package-lock.json'), JSON.stringify(file));
  await npm(project, 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund');
}

/** Runs npm in `folder`, without colours. */
export const npm = (folder: string, ...args: string[]): Promise<{ stdout: string }> =>
  run('npm', args, { cwd: folder, env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' } });

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
