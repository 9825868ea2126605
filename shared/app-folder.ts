/** Finds an app and its workloads from the working folder, wherever this package is installed. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The file that every app has in its folder. */
const HOST = 'host.json';

/** Returns the nearest folder with a host.json, from `folder` upwards; undefined if there is none. */
export function findAppFolder(folder: string): string | undefined {
  if (existsSync(join(folder, HOST))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findAppFolder(parent);
}

/**
 * Returns the folder of the app around `folder`.
 * @throws Error if there is none
 */
export function appFolderOf(folder: string): string {
  const found = findAppFolder(folder);
  if (found !== undefined) return found;
  throw new Error(`Expected to run in the folder of an app, with ${HOST}; found none in or above ${folder}.`);
}

/** Returns the address of the module with the registry of the app in `folder`, in its sources if Node.js can run them. */
export function workloadsOf(folder: string): URL {
  const built = join(folder, 'dist/workloads/index.js');
  const isBuilt = !process.features.typescript && existsSync(built);
  return pathToFileURL(isBuilt ? built : join(folder, 'workloads/index.ts'));
}
