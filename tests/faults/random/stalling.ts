/** Requests to the app that an invocation exceeds functionTimeout (tests/faults/app/stall.ts). */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { STALL_FILE } from '../app/items.ts';

const LOOK_MS = 500;

export interface Stalling {
  /** Requests one such end of a process, until it happens. */
  request(): Promise<void>;
  /** Records that it has happened. */
  ended(): void;
  stop(): void;
}

/** Creates the requests of one stack. A process that another fault ends before its time does not count. */
export function createStalling(folder: string): Stalling {
  let wanted = 0;
  const write = (): Promise<void> => writeFile(join(folder, STALL_FILE), '');
  const look = async (): Promise<void> => {
    for (const name of await readdir(folder)) {
      const pid = Number(name.startsWith(`${STALL_FILE}.`) ? name.slice(STALL_FILE.length + 1) : Number.NaN);
      if (Number.isNaN(pid) || isAlive(pid)) continue;
      await rm(join(folder, name));
      // The end of a process is reported a moment after it.
      await sleep(LOOK_MS);
      if (wanted > 0) await write();
    }
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  return {
    request: () => {
      wanted += 1;
      return write();
    },
    ended: () => {
      wanted = Math.max(0, wanted - 1);
    },
    stop: () => clearInterval(timer),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
