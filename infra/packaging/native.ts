import { cp, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Metafile } from 'esbuild';

/** Packages that load native code by paths of their own: they cannot become part of a bundle, and go along as they are. */
export const NATIVE_PACKAGES = ['sharp'];

/** The names of prebuilt packages for the machines of Flex Consumption end so: Linux with glibc, 64 bits. */
const PREBUILT = /-linux-x64$/;
const UNUSED = /\/(src|install|include)(\/|$)|\.(d\.[cm]?ts|h|md|map)$/;
const LICENCE = /licen[cs]e[^/]*$/i;

/** The native packages that a bundle asks for, with all that they need, in the order of their names. */
export async function nativePackages(root: string, { outputs }: Pick<Metafile, 'outputs'>): Promise<string[]> {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const wanted = NATIVE_PACKAGES.filter((name) => imports.some(({ path, external }) => external && path === name));
  const found = new Set<string>();
  for (const name of wanted) await addWithNeeds(root, name, found);
  return [...found].sort();
}

async function addWithNeeds(root: string, name: string, found: Set<string>): Promise<void> {
  if (found.has(name)) return;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = await manifest(root, name);
  const prebuilt = Object.keys(optionalDependencies).filter((optional) => PREBUILT.test(optional));
  for (const needed of [...Object.keys(dependencies), ...prebuilt]) await addWithNeeds(root, needed, found);
}

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

async function manifest(root: string, name: string): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  } catch (cause) {
    throw new Error(
      `The package needs ${name} for Linux: npm install --no-save --force --os=linux --cpu=x64 --libc=glibc sharp`,
      { cause },
    );
  }
}

/** Copies packages into `folder`, without sources and documentation. */
export async function copyPackages(root: string, names: readonly string[], folder: string): Promise<void> {
  for (const name of names) {
    const from = join(root, 'node_modules', name);
    const filter = (path: string): boolean => isUsed(path.slice(from.length).split(sep).join('/'));
    await cp(from, join(folder, 'node_modules', name), { recursive: true, filter });
  }
}

const isUsed = (path: string): boolean => LICENCE.test(path) || !UNUSED.test(path);
