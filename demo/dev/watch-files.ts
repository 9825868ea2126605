import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { isOfApp } from '../app-files.ts';

/** Calls back for each change below the folders, and of the named files in `root`. Returns what ends the watch. */
export function watchFiles(
  root: string,
  { folders, files }: { folders: readonly string[]; files: readonly string[] },
  onChange: () => void,
): () => void {
  const start = (path: string, recursive: boolean, isWanted: (name: string) => boolean): FSWatcher =>
    watch(path, { recursive }, (_, name) => {
      // Some systems do not say which file it was.
      if (name === null || isWanted(name)) onChange();
    })
      // A folder that is deleted and made again, as a change of branches may do, is read at the next change or on request.
      .on('error', onChange);
  const watchers = [
    ...folders.map((folder) => start(join(root, folder), true, isOfApp)),
    // Editors replace a file by renaming another: a watch of the file itself would stay with the old one.
    start(root, false, (name) => files.includes(name)),
  ];
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}
