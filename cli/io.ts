import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerFolder, type Environment } from './settings.ts';
import type { Screen } from './text/status-line.ts';

/** All that the command knows of the world; tests give it another one. */
export interface Io {
  env: Environment;
  /** What relative files are relative to. */
  folder: string;
  stdin: Readable & { isTTY?: boolean };
  /** For what was asked for. */
  stdout: Writable;
  /** For progress, hints and faults. */
  stderr: Screen;
  fetch: typeof fetch;
  /** Milliseconds, of a clock that never goes back. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
  randomId(): string;
  /** Calls `report` when the user interrupts the command, which ends then. Returns how to stop listening. */
  onInterrupt?(report: () => void): () => void;
}

/** The world of this process. */
export const processIo = (): Io => ({
  env: process.env,
  folder: callerFolder(process.env, process.cwd()),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  fetch,
  now: () => performance.now(),
  sleep,
  randomId: randomUUID,
  onInterrupt,
});

/** The signal is sent again without the listener, so that the shell sees a command that it has ended. */
function onInterrupt(report: () => void): () => void {
  const listener = (): void => {
    report();
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', listener);
  return () => process.off('SIGINT', listener);
}
