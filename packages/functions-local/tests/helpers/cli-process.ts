import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/functions-local.js', import.meta.url));

/** The built command in a separate process. */
export interface CliProcess {
  stdout(): string;
  stderr(): string;
  /** Waits until standard output matches. Throws with all output if the process ends before that, or after 60 s. */
  waitFor(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** The exit code after the process has ended. */
  exited: Promise<number | null>;
}

/** Runs `functions-local` with the given arguments. `bin` defaults to that of this checkout. */
export function runCli(args: readonly string[], env: Record<string, string> = {}, bin = BIN): CliProcess {
  // A test runner on a terminal enables colours in its children.
  const { FORCE_COLOR: _, ...own } = process.env;
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    exited,
    waitFor: async (pattern) => {
      for (let tries = 0; tries < 3_000; tries += 1) {
        const ended = child.exitCode !== null;
        const match = pattern.exec(text.stdout);
        if (match) return match;
        if (ended) break;
        await sleep(20);
      }
      throw new Error(`Expected output like ${pattern}, got:\n${text.stdout}\n${text.stderr}`);
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
