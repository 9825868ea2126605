import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerFolder, type Environment } from './environment.ts';
import type { Screen } from './status-line.ts';

/** The environment of the command; tests replace it. */
export interface Io {
  env: Environment;
  platform: NodeJS.Platform;
  nodeVersion: string;
  folder: string;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  /** For progress, hints and errors. */
  stderr: Screen;
  fetch: typeof fetch;
  /** Opens a page in the browser. Returns false if no browser can be started. */
  openUrl(url: string): Promise<boolean>;
  /** Runs a program in `folder`, with the streams of this process. Returns its exit code, undefined if it was not found. */
  run(command: string, args: readonly string[]): Promise<number | undefined>;
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
export const processIo = (folder = callerFolder(process.env, process.cwd())): Io => ({
  env: process.env,
  platform: process.platform,
  nodeVersion: process.versions.node,
  folder,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  fetch,
  openUrl: (url) => startBrowser(url, process.platform),
  run: (command, args) => runProgram(command, args, folder),
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

/** After a signal, waits for the program, which may still have to remove a key. A terminal sends SIGINT to both. */
async function runProgram(command: string, args: readonly string[], cwd: string): Promise<number | undefined> {
  const child = spawn(command, args, { cwd, stdio: 'inherit' });
  const listeners = { SIGINT: () => {}, SIGTERM: () => void child.kill('SIGTERM') };
  for (const [signal, listener] of Object.entries(listeners)) process.on(signal, listener);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ENOENT' ? resolve(undefined) : reject(error),
      );
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    });
  } finally {
    for (const [signal, listener] of Object.entries(listeners)) process.off(signal, listener);
  }
}

/** Imports the SDK lazily, because it takes half a second to load and few commands need it. */
async function azureToken(scope: string): Promise<string> {
  const { DefaultAzureCredential } = await import('@azure/identity');
  return (await new DefaultAzureCredential().getToken(scope)).token;
}
