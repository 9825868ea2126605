import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyDataFolder } from 'functions-local';

/** The data folder of the demo, locked by this process. */
export interface DataFolder {
  /** For generated files. */
  path: string;
  /** For the stack's data. */
  stack: string;
  /** For copies of the app's code; empty. */
  app: string;
  /** Deletes the copies and unlocks the folder. */
  release(): Promise<void>;
}

/**
 * Locks the folder and, unless `keep`, deletes the data of the previous stack. Ports and keys always stay.
 * @throws Error if another process uses the folder
 */
export async function takeDataFolder(path: string, keep: boolean): Promise<DataFolder> {
  const stack = join(path, 'stack');
  const lock = join(path, 'pid');
  await mkdir(path, { recursive: true });
  const owner = await readOwner(lock);
  if (owner !== undefined && isAlive(owner)) {
    throw new Error(`Process ${owner} is running with the data in ${path}: stop it first (Ctrl-C where it runs).`);
  }
  await writeFile(lock, String(process.pid));
  if (!keep) emptyDataFolder(stack);
  const app = join(path, 'app');
  const removeCopies = () => rm(app, { recursive: true, force: true });
  // A previous process that was killed has left its copy.
  await removeCopies();
  const release = async (): Promise<void> => {
    await removeCopies();
    await rm(lock, { force: true });
  };
  return { path, stack, app, release };
}

async function readOwner(lock: string): Promise<number | undefined> {
  const text = await readFile(lock, 'utf8').catch(() => '');
  const pid = Number(text);
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid ? pid : undefined;
}

/** For a process of another user, the signal is refused: it is alive, too. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
