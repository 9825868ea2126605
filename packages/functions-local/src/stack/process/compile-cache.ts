import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** About ten times what the parts and one app need; each folder that an app is copied to adds its own. */
const MAX_FILES = 20_000;

let folder: string | undefined;

/**
 * Returns the folder for V8's compiled code of the children: a start then neither compiles the same files again nor strips
 * their types. It lies in the node_modules folder that Azurite comes from, and goes with the code that it was made of. Node
 * reads and writes it safely from several processes; where it cannot be written, nothing is cached. With too many files in
 * it, it is emptied at the first call in a process.
 */
export function compileCacheFolder(): string {
  if (folder === undefined) {
    const manifest = createRequire(import.meta.url).resolve('azurite/package.json');
    folder = join(dirname(dirname(manifest)), '.cache', 'functions-local-code');
    emptyIfFull(folder, MAX_FILES);
  }
  return folder;
}

/** Deletes a folder with more files than this, those in subfolders included. Does nothing if it cannot be read or deleted. */
export function emptyIfFull(path: string, maxFiles: number): void {
  try {
    if (readdirSync(path, { recursive: true }).length > maxFiles) rmSync(path, { recursive: true, force: true });
  } catch {
    // There is none yet, or another process empties it, too.
  }
}
