import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isOfApp } from '../app-files.ts';

/**
 * Calls back for changes below the folders and of the named files in `root`, sometimes also without a change. Returns a
 * function that ends the watch.
 */
export function watchFiles(
  root: string,
  { folders, files }: { folders: readonly string[]; files: readonly string[] },
  onChange: () => void,
): () => void {
  const watchers = new Map<string, FSWatcher>();
  const close = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  const start = (path: string, isWanted: (name: string) => boolean): void => {
    // Not `recursive`: on Linux, Node would watch each file separately, and lose a file that an editor replaces by
    // renaming.
    const watcher = watch(path, (event, name) => {
      const found = event === 'rename' && followFolders();
      // Some systems do not report the name of the file.
      if (found || name === null || isWanted(name)) onChange();
    });
    // Emitted when the folder is deleted.
    watcher.on('error', () => close(path));
    watchers.set(path, watcher);
  };
  /** Watches new folders and stops watching deleted ones. Returns whether there are new ones. */
  const followFolders = (): boolean => {
    const there = new Set([root, ...folders.flatMap((folder) => foldersIn(join(root, folder)))]);
    const gone = [...watchers.keys()].filter((path) => !there.has(path));
    const found = [...there].filter((path) => !watchers.has(path));
    for (const path of gone) close(path);
    for (const path of found) start(path, path === root ? (name) => files.includes(name) : isOfApp);
    return gone.length + found.length > 0;
  };
  followFolders();
  return () => {
    for (const path of [...watchers.keys()]) close(path);
  };
}

/** Returns a folder and all folders in it; none if it does not exist. */
function foldersIn(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return [path, ...entries.flatMap((entry) => (entry.isDirectory() ? foldersIn(join(path, entry.name)) : []))];
  } catch {
    return [];
  }
}
