import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseInUseError, openExclusively } from '../exclusive-database.ts';
import { toError } from '../host/errors.ts';
import { FILES } from './parts.ts';

/** The folder cannot be used for the data of a stack. The message is one line. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/**
 * Creates the folder with its subfolders for storage, host state and logs, and locks it for one stack until the returned
 * function is called. SQLite holds a lock of the operating system, which is released when the process dies for any reason.
 * Throws DataFolderError if a folder cannot be created, or if another stack uses it.
 */
export function lockDataFolder(folder: string): () => void {
  for (const path of [folder, ...[FILES.storage, FILES.hostState, FILES.logs].map((name) => join(folder, name))]) {
    try {
      mkdirSync(path, { recursive: true });
    } catch (error: unknown) {
      throw new DataFolderError(`the folder '${path}' cannot be created: ${toError(error).message}`, { cause: error });
    }
  }
  try {
    const lock = openExclusively(join(folder, 'lock.sqlite'), () => {});
    return () => lock.close();
  } catch (error: unknown) {
    const problem =
      error instanceof DatabaseInUseError
        ? 'is in use by another stack: stop it, or use another folder'
        : `cannot be used: ${toError(error).message}`;
    throw new DataFolderError(`the folder '${folder}' ${problem}`, { cause: error });
  }
}

/** Deletes the data and logs of a stopped stack. Ports and keys are kept, so that clients can reach the next stack. */
export function emptyDataFolder(folder: string): void {
  const remove = (path: string, kept: readonly string[]): void => {
    for (const name of namesIn(path))
      if (!kept.includes(name)) rmSync(join(path, name), { recursive: true, force: true });
  };
  remove(folder, [FILES.ports, FILES.hostState]);
  remove(join(folder, FILES.hostState), [FILES.keys]);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
