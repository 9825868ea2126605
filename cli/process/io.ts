import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerFolder, type Environment } from './environment.ts';
import type { Screen } from './status-line.ts';

/** All that the command knows of the world; tests give it another one. */
export interface Io {
  env: Environment;
  platform: NodeJS.Platform;
  /** What relative files are relative to. */
  folder: string;
  stdin: Readable & { isTTY?: boolean };
  /** For what was asked for. */
  stdout: Writable & { isTTY?: boolean };
  /** For progress, hints and faults. */
  stderr: Screen;
  fetch: typeof fetch;
  /** Shows a page in the browser; false when there is none to be started. */
  openUrl(url: string): Promise<boolean>;
  /** A token of whoever is signed in to Azure on this machine. */
  azureToken(scope: string): Promise<string>;
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
  platform: process.platform,
  folder: callerFolder(process.env, process.cwd()),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  fetch,
  openUrl: (url) => startBrowser(url, process.platform),
  azureToken,
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

/** What shows an address, by platform. `start` of Windows is a part of its shell, which would read the address. */
const BROWSERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function startBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [command, ...args] = BROWSERS[platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => child.once('spawn', () => resolve(true)).once('error', () => resolve(false)));
}

/** The SDK takes half a second to load, which only these commands are worth. */
async function azureToken(scope: string): Promise<string> {
  const { DefaultAzureCredential } = await import('@azure/identity');
  return (await new DefaultAzureCredential().getToken(scope)).token;
}
