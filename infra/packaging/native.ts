import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import type { RunNpm } from './npm.ts';

/** Packages that load native code by path. They cannot be bundled, and are copied unchanged. */
export const NATIVE_PACKAGES = ['sharp'];

/**
 * The machines of Flex Consumption in the terms of npm, independent of the machine that creates the package. The names of
 * prebuilt packages for them end with `-linux-x64` (`-linuxmusl-x64` is for the other libc).
 */
const TARGET = { os: 'linux', cpu: 'x64', libc: 'glibc' };
const PREBUILT = /-linux-x64$/;
const UNUSED = /\/(src|install|include)(\/|$)|\.(d\.[cm]?ts|h|md|map)$/;
const LICENCE = /licen[cs]e[^/]*$/i;

/** A package that is shipped along with the bundle. */
export interface NativePackage {
  name: string;
  /** Its location on this machine. */
  folder: string;
}

/** The locations of native packages, and the function that fetches missing ones. */
export interface NativeWorld {
  /** Folder with package-lock.json and node_modules/. */
  root: string;
  /** Folder for packages that the installation of this machine lacks; it is reused. */
  fetched: string;
  runNpm: RunNpm;
}

/** The fields of package-lock.json that are read here. */
interface Lock {
  packages: Record<string, LockedPackage | undefined>;
}
interface LockedPackage {
  version: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * Returns the native packages that a bundle imports, with all their dependencies, built for Flex Consumption, sorted by name.
 * package-lock.json determines the packages and versions. If this machine has a different platform, npm fetches the missing ones
 * and verifies their integrity with the lock file. Throws an Error if this fails.
 */
export async function nativePackages(
  { root, fetched, runNpm }: NativeWorld,
  { outputs }: Pick<Metafile, 'outputs'>,
): Promise<NativePackage[]> {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const wanted = NATIVE_PACKAGES.filter((name) => imports.some(({ path, external }) => external && path === name));
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const names = withNeeds(lock, wanted);
  const missing = await notInstalled(lock, names, root);
  if ((await notInstalled(lock, missing, fetched)).length > 0) await fetchPackages(lock, missing, { fetched, runNpm });
  return names.map((name) => ({ name, folder: folderOf(missing.includes(name) ? fetched : root, name) }));
}

const folderOf = (root: string, name: string): string => join(root, 'node_modules', name);

/** Returns the names of the packages and of all their dependencies on the target. */
function withNeeds(lock: Lock, wanted: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = locked(lock, name);
    const prebuilt = Object.keys(optionalDependencies).filter((optional) => PREBUILT.test(optional));
    for (const needed of [...Object.keys(dependencies), ...prebuilt]) add(needed);
  };
  wanted.forEach(add);
  return [...found].sort();
}

function locked({ packages }: Lock, name: string): LockedPackage {
  const found = packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`Expected package-lock.json to contain ${name}, which the package needs.`);
  return found;
}

/** Returns those of `names` that are not in `root` with the locked version. */
async function notInstalled(lock: Lock, names: readonly string[], root: string): Promise<string[]> {
  const checked = await Promise.all(
    names.map(async (name) => ((await versionIn(root, name)) === locked(lock, name).version ? [] : [name])),
  );
  return checked.flat();
}

async function versionIn(root: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(folderOf(root, name), 'package.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { version: string }).version;
}

/** Installs packages for the target with npm, at their locked versions, in a separate folder. */
async function fetchPackages(
  lock: Lock,
  names: readonly string[],
  { fetched, runNpm }: Pick<NativeWorld, 'fetched' | 'runNpm'>,
): Promise<void> {
  const dependencies = Object.fromEntries(names.map((name) => [name, locked(lock, name).version]));
  const about = { name: 'sluice-native', version: '0.0.0', private: true, dependencies };
  // Without their dependencies: the list already contains those that are needed.
  const entries = names.map((name) => {
    const { version, integrity } = locked(lock, name);
    if (integrity === undefined) throw new Error(`Expected package-lock.json to contain the integrity of ${name}.`);
    return [`node_modules/${name}`, { version, integrity }];
  });
  const packages = { '': about, ...Object.fromEntries(entries) };
  await mkdir(fetched, { recursive: true });
  await writeFile(join(fetched, 'package.json'), JSON.stringify(about));
  await writeFile(join(fetched, 'package-lock.json'), JSON.stringify({ ...about, lockfileVersion: 3, packages }));
  const machine = Object.entries(TARGET).map(([key, value]) => `--${key}=${value}`);
  await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...machine], fetched);
  const missing = await notInstalled(lock, names, fetched);
  if (missing.length > 0) throw new Error(`Expected npm to fetch ${missing.join(', ')} for Linux on x64.`);
}

/** Copies packages into `folder`, without sources and documentation. */
export async function copyPackages(packages: readonly NativePackage[], folder: string): Promise<void> {
  for (const { name, folder: from } of packages) {
    const filter = (path: string): boolean => isUsed(path.slice(from.length).split(sep).join('/'));
    await cp(from, join(folder, 'node_modules', name), { recursive: true, filter });
  }
}

const isUsed = (path: string): boolean => LICENCE.test(path) || !UNUSED.test(path);
