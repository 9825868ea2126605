import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/host/main.ts', import.meta.url));

/** Options of a host process. */
export interface HostProcessOptions {
  appFolder: string;
  /** Additional arguments of the command. */
  args?: string[];
  env?: Record<string, string>;
  /** The caller deletes it. Defaults to a temporary folder that is deleted at the stop. */
  stateDir?: string;
}

/** A host in a separate process. */
export interface HostProcess {
  url: string;
  /** All output so far. */
  output(): string;
  /** Waits until the output matches. Throws with the output after the timeout (default 10 s) or if the process ends. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** Sends a signal (default SIGTERM) and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** The exit code after the process has ended. */
  exited: Promise<number | null>;
}

/** Starts a host on a free port and waits until it is ready. */
export async function startHostProcess(options: HostProcessOptions): Promise<HostProcess> {
  const host = await spawnHost(options);
  const [, url = ''] = await host.waitFor(/^Host started on (http:\S+)$/m);
  return { ...host, url };
}

/** Starts a host without waiting, for starts that must fail. */
export async function spawnHost(options: HostProcessOptions): Promise<Omit<HostProcess, 'url'>> {
  const stateDir = options.stateDir ?? (await mkdtemp(join(tmpdir(), 'host-test-')));
  const args = [MAIN, options.appFolder, '--port', '0', '--state-dir', stateDir, ...(options.args ?? [])];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  }
  const output = () => chunks.join('');
  const exited = exitOf(child).then(async (code) => {
    if (!options.stateDir) await rm(stateDir, { recursive: true, force: true });
    return code;
  });
  return {
    output,
    exited,
    waitFor: (pattern, timeoutMs = 60_000) => waitFor(child, output, pattern, timeoutMs),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve));
}

async function waitFor(child: ChildProcess, output: () => string, pattern: RegExp, timeoutMs: number) {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const ended = child.exitCode !== null;
    const match = output().match(pattern);
    if (match) return match;
    if (ended) break;
    await sleep(20);
  }
  throw new Error(`Expected output like ${pattern}, got:\n${output()}`);
}
