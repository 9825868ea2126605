import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** About ten times the files of the parts and one app. Each folder to which an app is copied adds more. */
const MAX_FILES = 20_000;

let folder: string | undefined;

/**
 * Returns the folder for V8's compiled code of the children. A start then neither compiles the same files again nor strips
 * their types. The folder is in the node_modules folder of Azurite, so that it is deleted together with the code. Several
 * Node processes can use it safely. If it is not writable, nothing is cached. The first call in a process empties it if it
 * contains too many files.
 */
export function compileCacheFolder(): string {
  if (folder === undefined) {
    const manifest = createRequire(import.meta.url).resolve('azurite/package.json');
    folder = join(dirname(dirname(manifest)), '.cache', 'functions-local-code');
    emptyIfFull(folder, MAX_FILES);
  }
  return folder;
}

/**
 * Deletes a folder that contains more than `maxFiles` files, including subfolders. Does nothing if it cannot be read or
 * deleted.
 */
export function emptyIfFull(path: string, maxFiles: number): void {
  try {
    if (readdirSync(path, { recursive: true }).length > maxFiles) rmSync(path, { recursive: true, force: true });
  } catch {
    // The folder does not exist, or another process is emptying it.
  }
}
