import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../process/errors.ts';

/** A difference between an app and its package: where it is, and the command or edit that mends it. */
export interface Finding {
  file: string;
  /** The place in the file, such as a path of keys. */
  key: string;
  expected: string;
  found: string;
  fix: string;
}

/** The fields of a package.json that are compared. */
export interface Manifest {
  version?: string;
  main?: string;
  engines?: { node?: string };
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** The folder of an app, with the package that it is compared with. Paths are relative to a folder, `read` to the app's. */
export interface App {
  folder: string;
  packageFolder: string;
  manifest: Manifest;
  packageManifest: Manifest;
  /** Whether the app is the package itself, as in a checkout of it. */
  isPackage: boolean;
  /** Returns the text of a file; undefined if it does not exist. */
  read(file: string): string | undefined;
}

/** Opens the app in `folder`. Throws CliError if the folder has no package.json. */
export function openApp(folder: string, packageFolder: string): App {
  const read = (file: string): string | undefined => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const manifest = read('package.json');
  if (manifest === undefined)
    throw new CliError(`doctor: expected a package.json in ${folder}`, { hint: 'Run it in the folder of your app.' });
  return {
    ...{ folder, packageFolder, read },
    manifest: parseJson('package.json', manifest) as Manifest,
    packageManifest: JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as Manifest,
    isPackage: realpathSync(folder) === realpathSync(packageFolder),
  };
}

/** Parses a file of the app. Throws CliError with its name. */
export function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error: unknown) {
    throw new CliError(`${file}: expected JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the manifest of a package as the app resolves it: in node_modules of its folder or of a parent. */
export function installedPackage(folder: string, name: string): Manifest | undefined {
  const file = join(folder, 'node_modules', name, 'package.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  return dirname(folder) === folder ? undefined : installedPackage(dirname(folder), name);
}
