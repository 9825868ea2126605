import { join } from 'node:path';
import { type AppFiles, changedFiles, writeFiles } from '../app-files.ts';

/** Two folders that take turns: the app runs in one of them, and the next version of it is written into the other. */
export interface AppCopies {
  /** Files that differ from those of the last call of `next`. */
  changed(files: AppFiles): string[];
  /** Writes the files where no app runs, and returns the folder. */
  next(files: AppFiles): string;
  /** The app runs in the folder that `next` has returned last. */
  started(): void;
}

/** Makes the copies below `folder`, which is empty. */
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
  /** What it holds. */
  files: AppFiles;
}
