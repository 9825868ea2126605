import type { ChildProcess } from 'node:child_process';
import { type OutputListener, type ProcessOutput, readOutput } from './process-output.ts';
import type { SpareProcess } from './spare-process.ts';
import { spawnNode } from './spawn-node.ts';

/** Options of a child process. `Ready` is the content of its ready line. */
export interface ProcessOptions<Ready> {
  /** For messages. */
  name: string;
  /** A JavaScript or TypeScript file, which runs in the same Node version as this process. */
  script: string;
  args: readonly string[];
  /** Added to this process's environment. */
  env?: Readonly<Record<string, string>>;
  /** Defaults to this process's working directory. */
  cwd?: string;
  /** Receives all output. Output is appended, and the folder is created. */
  logFile: string;
  /** Also receives each line of output. By default, only the log does. */
  onOutput?: OutputListener | undefined;
  /** Called with each line of standard output until it returns a value. Then the child is ready. */
  readReady: (line: string) => Ready | undefined;
  /** Defaults to 60 s, which allows for a cold disk and a busy machine. */
  readyTimeoutMs?: number;
  /** A process that runs the script instead of a new process, if it can. Defaults to none. */
  spare?: SpareProcess | undefined;
  /** Ends the child if it is aborted before the child is ready. Later it has no effect. Defaults to none. */
  signal?: AbortSignal | undefined;
}

/** How a child process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether `stop` or `kill` ended it. */
  expected: boolean;
}

/** A child process that has reported that it is ready. */
export interface RunningProcess<Ready> {
  readonly name: string;
  readonly pid: number;
  readonly ready: Ready;
  /** Resolves when the child has ended and its output is in the log file. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGTERM, and SIGKILL if the child has not ended after `graceMs` (default 15 s). */
  stop(graceMs?: number): Promise<ProcessEnd>;
  /** Sends SIGKILL, so that the child cannot clean up. */
  kill(): Promise<ProcessEnd>;
  /** Stops the child (SIGSTOP) until `thaw`: it keeps its connections and does not answer. */
  freeze(): void;
  thaw(): void;
  /** Describes an unexpected end, with the last lines of output. */
  describe(end: ProcessEnd): string;
}

/** A child did not become ready. The message contains the reason and the child's last lines. */
export class ProcessStartError extends Error {
  override name = 'ProcessStartError';
}

const READY_TIMEOUT_MS = 60_000;
const GRACE_MS = 15_000;

/** Starts a child and waits until it is ready. Throws ProcessStartError if it ends before that, or is not ready in time. */
export async function startProcess<Ready>(options: ProcessOptions<Ready>): Promise<RunningProcess<Ready>> {
  const child = spawnChild(options);
  const output = readOutput(child, options.logFile, options.onOutput);
  const asked = { toEnd: false };
  const ended = endOf(child, asked, output);
  const signal = (name: NodeJS.Signals): Promise<ProcessEnd> => {
    asked.toEnd = true;
    killAtExit(child);
    child.kill(name);
    return ended;
  };
  const describe = (end: ProcessEnd): string => describeEnd(options, end, output);
  const isReady = untilReady(options, output, ended.then(describe));
  const ready = await Promise.race([isReady, untilAborted(options.signal)]).catch(async (error: Error) => {
    await signal('SIGKILL');
    throw error;
  });
  return {
    name: options.name,
    pid: child.pid ?? -1,
    ready,
    ended,
    stop: (graceMs = GRACE_MS) => stopGently(signal, graceMs),
    kill: () => signal('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    describe,
  };
}

function spawnChild({ script, args, env, cwd, spare }: ProcessOptions<unknown>): ChildProcess {
  const launch = { script, args, env: env ?? {}, cwd: cwd ?? process.cwd() };
  return spare?.take(launch) ?? spawnNode(launch);
}

function endOf(child: ChildProcess, asked: { toEnd: boolean }, { written }: ProcessOutput): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null, expected: false }));
    child.once('close', async (code, signal) => {
      const expected = asked.toEnd;
      await written;
      resolve({ code, signal, expected });
    });
  });
}

function untilReady<Ready>(
  options: ProcessOptions<Ready>,
  output: ProcessOutput,
  endedEarly: Promise<string>,
): Promise<Ready> {
  const { name, readReady, readyTimeoutMs = READY_TIMEOUT_MS } = options;
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => reject(new ProcessStartError(message));
    const late = `${name} was not ready after ${readyTimeoutMs / 1000} s`;
    const timer = setTimeout(() => fail(`${late}${tail(options, output)}`), readyTimeoutMs);
    output.onLine((line) => {
      const ready = readReady(line);
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve(ready);
    });
    // After the ready line, the promise is settled and `fail` has no effect.
    void endedEarly.then((message) => {
      clearTimeout(timer);
      fail(message);
    });
  });
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

const ending = new Set<ChildProcess>();
let isExitWatched = false;

// If this process ended while a child hangs in its stop, the orphan would keep its ports and files.
function killAtExit(child: ChildProcess): void {
  if (!isExitWatched) process.once('exit', () => ending.forEach((one) => void one.kill('SIGKILL')));
  isExitWatched = true;
  ending.add(child);
  child.once('close', () => ending.delete(child));
}

async function stopGently(signal: (name: NodeJS.Signals) => Promise<ProcessEnd>, graceMs: number): Promise<ProcessEnd> {
  const timer = setTimeout(() => void signal('SIGKILL'), graceMs);
  const ended = signal('SIGTERM');
  // A frozen child handles only SIGCONT and SIGKILL.
  void signal('SIGCONT');
  return ended.finally(() => clearTimeout(timer));
}

function describeEnd(options: ProcessOptions<unknown>, end: ProcessEnd, output: ProcessOutput): string {
  const how = end.signal ? `was terminated by ${end.signal}` : `ended with code ${end.code}`;
  return `${options.name} ${how}${tail(options, output)}`;
}

function tail({ onOutput, logFile }: ProcessOptions<unknown>, output: ProcessOutput): string {
  // The listener has received these lines already.
  if (onOutput) return `; its output is in ${logFile}`;
  const lines = output.lastLines().map((line) => `  ${line}`);
  return `; its last lines (all: ${logFile}):\n${lines.join('\n')}`;
}
