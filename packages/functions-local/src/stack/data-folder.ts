import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseInUseError, openExclusively } from '../exclusive-database.ts';
import { toError } from '../host/errors.ts';
import { FILES } from './parts.ts';

/** A folder cannot hold the data of a stack; the message is one line. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/**
 * Makes the folder, with those for storage, host state and logs, and takes it for one stack until the returned function is
 * called. The lock is one of the system, through SQLite: it is free again when the process dies, however it dies. Throws
 * DataFolderError when a folder cannot be made, or another stack has it.
 */
export function takeDataFolder(folder: string): () => void {
  for (const path of [folder, ...[FILES.storage, FILES.hostState, FILES.logs].map((name) => join(folder, name))]) {
    try {
      mkdirSync(path, { recursive: true });
    } catch (error: unknown) {
      throw new DataFolderError(`the folder '${path}' cannot be made: ${toError(error).message}`, { cause: error });
    }
  }
  try {
    const lock = openExclusively(join(folder, 'lock.sqlite'), () => {});
    return () => lock.close();
  } catch (error: unknown) {
    const problem =
      error instanceof DatabaseInUseError
        ? 'is in use by another start: stop it, or use another folder'
        : `cannot be used: ${toError(error).message}`;
    throw new DataFolderError(`the folder '${folder}' ${problem}`, { cause: error });
  }
}

/** Deletes the data and logs of a stack that is down. Its ports and keys stay, so that clients find the next one. */
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
