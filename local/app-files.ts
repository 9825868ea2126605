import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Contents of an app's files by path, relative to its folder and with `/` on every system. */
export type AppFiles = ReadonlyMap<string, Buffer>;

/** Files of editors and systems that are not part of the app: drafts, backups, hidden files. */
const isBeside = (name: string): boolean => name.startsWith('.') || name.endsWith('~') || name === 'node_modules';

/** Whether a change of the file can change the behaviour of the app. */
export const isOfApp = (path: string): boolean => !path.split(/[\\/]/).some(isBeside) && !path.endsWith('.md');

/** Reads files, and folders with their content. `names` that do not exist are omitted. */
export function readFiles(root: string, names: readonly string[]): AppFiles {
  const files = new Map<string, Buffer>();
  const read = (path: string): void => {
    const full = join(root, path);
    const stat = statSync(full, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const name of readdirSync(full)) if (isOfApp(name)) read(`${path}/${name}`);
    } else if (stat?.isFile()) files.set(path, readFileSync(full));
  };
  for (const name of names) read(name);
  return files;
}

/** Returns the names of the files that were added, changed or deleted, sorted. */
export function changedFiles(before: AppFiles, after: AppFiles): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  const isSame = (name: string): boolean => {
    const [old, current] = [before.get(name), after.get(name)];
    return old !== undefined && current !== undefined && old.equals(current);
  };
  return [...names].filter((name) => !isSame(name)).sort();
}

/** Makes `files` the content of a folder that contains `present` (default: nothing). */
export function writeFiles(folder: string, files: AppFiles, present: AppFiles = new Map()): void {
  // Settings may contain secrets, so only this user may read the copy.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of changedFiles(present, files)) {
    const path = join(folder, name);
    const content = files.get(name);
    if (content === undefined) rmSync(path, { force: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }
}
