import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import type { RunNpm } from './npm.ts';

/** Packages that load native code by paths of their own: they cannot become part of a bundle, and go along as they are. */
export const NATIVE_PACKAGES = ['sharp'];

/**
 * The machines of Flex Consumption, whatever machine makes the package: Linux with glibc on x64, as npm names them. The
 * names of prebuilt packages for them end so (`-linuxmusl-x64` is the other libc).
 */
const TARGET = { os: 'linux', cpu: 'x64', libc: 'glibc' };
const PREBUILT = /-linux-x64$/;
const UNUSED = /\/(src|install|include)(\/|$)|\.(d\.[cm]?ts|h|md|map)$/;
const LICENCE = /licen[cs]e[^/]*$/i;

/** A package that goes along with the bundle. */
export interface NativePackage {
  name: string;
  /** Where it lies on this machine. */
  folder: string;
}

/** Where native packages are found, and how the missing ones are fetched. */
export interface NativeWorld {
  /** Folder with package-lock.json and node_modules/. */
  root: string;
  /** Folder for what this machine's own installation lacks; it is used again the next time. */
  fetched: string;
  runNpm: RunNpm;
}

/** The part of package-lock.json that is read here. */
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
 * The native packages that a bundle asks for, built for Flex Consumption, with all that they need, in the order of their
 * names. package-lock.json says which packages and versions these are; what npm did not install here, because this machine
 * is another one, is fetched by npm, which checks it against the lock's integrity. Throws an Error where that fails.
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

/** The names of packages and of all that they need on the target. */
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
  if (found === undefined) throw new Error(`Expected package-lock.json to have ${name}, which the package needs.`);
  return found;
}

/** Those of `names` that do not lie in `root` at the locked version. */
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

/** Has npm install packages at their locked versions into a folder of their own, as on the target. */
async function fetchPackages(
  lock: Lock,
  names: readonly string[],
  { fetched, runNpm }: Pick<NativeWorld, 'fetched' | 'runNpm'>,
): Promise<void> {
  const dependencies = Object.fromEntries(names.map((name) => [name, locked(lock, name).version]));
  const about = { name: 'sluice-native', version: '0.0.0', private: true, dependencies };
  // Alone, without what they depend on: what of that is needed stands in the list itself.
  const entries = names.map((name) => {
    const { version, integrity } = locked(lock, name);
    if (integrity === undefined) throw new Error(`Expected package-lock.json to have the integrity of ${name}.`);
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
