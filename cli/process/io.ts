import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerFolder, type Environment } from './environment.ts';
import type { Screen } from './status-line.ts';

/** The environment of the command; tests replace it. */
export interface Io {
  env: Environment;
  platform: NodeJS.Platform;
  folder: string;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  /** For progress, hints and errors. */
  stderr: Screen;
  fetch: typeof fetch;
  /** Opens a page in the browser. Returns false if no browser can be started. */
  openUrl(url: string): Promise<boolean>;
  /** Returns an access token of the user who is signed in to Azure on this machine. */
  azureToken(scope: string): Promise<string>;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
  randomId(): string;
  /** Calls `report` when the user interrupts the command, before the process ends. Returns a function that stops listening. */
  onInterrupt?(report: () => void): () => void;
}

/** Returns the environment of this process. */
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

/** Sends the signal again without the listener, so that the shell sees a command that was ended by the signal. */
function onInterrupt(report: () => void): () => void {
  const listener = (): void => {
    report();
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', listener);
  return () => process.off('SIGINT', listener);
}

/** The command that opens an address, by platform. `start` of Windows is not used: its shell would interpret the address. */
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

/** Imports the SDK lazily, because it takes half a second to load and few commands need it. */
async function azureToken(scope: string): Promise<string> {
  const { DefaultAzureCredential } = await import('@azure/identity');
  return (await new DefaultAzureCredential().getToken(scope)).token;
}
