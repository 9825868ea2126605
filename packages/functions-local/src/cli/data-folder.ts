import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseInUseError, openExclusively } from '../exclusive-database.ts';
import { toError } from '../host/errors.ts';
import { StartError } from './errors.ts';

/**
 * Makes the folder and takes it for this process until the returned function is called. The lock is one of the system,
 * through SQLite: it is free again when the process dies, however it dies. Throws StartError when another start has it.
 */
export function takeDataFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error: unknown) {
    throw new StartError([`--data: the folder '${folder}' cannot be made: ${toError(error).message}`], {
      cause: error,
    });
  }
  try {
    const lock = openExclusively(join(folder, 'lock.sqlite'), () => {});
    return () => lock.close();
  } catch (error: unknown) {
    if (!(error instanceof DatabaseInUseError)) throw error;
    throw new StartError(
      [`the folder '${folder}' is in use by another start: stop it, or pass another --data folder`],
      { cause: error },
    );
  }
}
