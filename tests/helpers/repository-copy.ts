import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '../..');
/** The parts of the repository that `npm start` and `npm run dev` need, in addition to its packages. */
const PARTS = ['cli', 'demo', 'dist', 'functions', 'local', 'shared', 'web', 'workloads'];
const FILES = ['host.json', 'package.json', 'tsconfig.json'];

/** A copy of the repository that a test may edit and build. It is inside the repository, so that packages are found. */
export async function copyRepository(name: string): Promise<string> {
  const folder = join(ROOT, '.sluice', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const options = { recursive: true, filter: (path: string) => !path.endsWith('.map') };
  await Promise.all([...PARTS, ...FILES].map((part) => cp(join(ROOT, part), join(folder, part), options)));
  return folder;
}

/** A command that runs until it is stopped. */
export interface Command {
  readonly pid: number;
  /** Standard output and standard error so far. */
  output(): string;
  /**
   * Resolves to the output since the last call, as soon as it contains `text`. Rejects if the command ends before that.
   */
  until(text: string): Promise<string>;
  /** Writes a line to its standard input. */
  send(line: string): void;
  /** Ends it as Ctrl-C does, and resolves to its exit code. */
  interrupt(): Promise<number | null>;
}

const POLL_MS = 10;

/** Runs a script with this process's Node. */
export function runCommand(folder: string, args: readonly string[]): Command {
  const env = { ...process.env, INIT_CWD: folder };
  const child: ChildProcess = spawn(process.execPath, args, { cwd: folder, env, stdio: 'pipe' });
  let output = '';
  let read = 0;
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  return {
    pid: child.pid ?? -1,
    output: () => output,
    until: async (text) => {
      for (;;) {
        const at = output.indexOf(text, read);
        if (at >= 0) {
          const found = output.slice(read, at + text.length);
          read = at + text.length;
          return found;
        }
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`Ended before it wrote ${JSON.stringify(text)}:\n${output}`);
        await sleep(POLL_MS);
      }
    },
    send: (line) => void child.stdin?.write(`${line}\n`),
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}
