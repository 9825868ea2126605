import { join } from 'node:path';
import { type AppFiles, changedFiles, writeFiles } from '../app-files.ts';

/** Two folders that alternate: the app runs in one of them, and its next version is written to the other. */
export interface AppCopies {
  /** Returns the files that differ from those of the last call of `next`. */
  changed(files: AppFiles): string[];
  /** Writes the files to the folder in which no app runs, and returns that folder. */
  next(files: AppFiles): string;
  /** Records that the app now runs in the folder that the last call of `next` returned. */
  started(): void;
}

/** Creates the copies below `folder`, which is empty. */
export function createAppCopies(folder: string): AppCopies {
  const nothing: AppFiles = new Map();
  let [free, taken] = ['a', 'b'].map((name) => ({ path: join(folder, name), files: nothing })) as [Copy, Copy];
  let last = nothing;
  return {
    changed: (files) => changedFiles(last, files),
    next: (files) => {
      last = files;
      writeFiles(free.path, files, free.files);
      free.files = files;
      return free.path;
    },
    started: () => {
      [free, taken] = [taken, free];
    },
  };
}

interface Copy {
  path: string;
  /** The content of the folder. */
  files: AppFiles;
}
