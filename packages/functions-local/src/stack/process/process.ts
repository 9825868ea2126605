import type { ChildProcess } from 'node:child_process';
import { type OutputListener, type ProcessOutput, readOutput } from './process-output.ts';
import type { SpareProcess } from './spare-process.ts';
import { spawnNode } from './spawn-node.ts';

/** How a child is started. `Ready` is the content of its ready line. */
export interface ProcessOptions<Ready> {
  /** For messages. */
  name: string;
  /** A JavaScript or TypeScript file; it runs in this process's own Node. */
  script: string;
  args: readonly string[];
  /** Added to this process's environment. */
  env?: Readonly<Record<string, string>>;
  /** Default: this process's own. */
  cwd?: string;
  /** Takes all output; appended to, folder made. */
  logFile: string;
  /** Receives each line of output as well; default: nobody. */
  onOutput?: OutputListener | undefined;
  /** Looks at each line of standard output until it returns something: then the child is ready. */
  readReady: (line: string) => Ready | undefined;
  /** Default 60 s: a cold disk and a busy machine are no failure. */
  readyTimeoutMs?: number;
  /** Runs the script in place of a new process, if it can. Default: none. */
  spare?: SpareProcess | undefined;
  /** Aborted before the child is ready, it ends the child at once; afterwards it has no effect. Default: none. */
  signal?: AbortSignal | undefined;
}

/** How a child ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether it was asked to, by `stop` or `kill`. */
  expected: boolean;
}

/** A child that has said it is ready. */
export interface RunningProcess<Ready> {
  readonly name: string;
  readonly pid: number;
  readonly ready: Ready;
  /** Resolves once the child is gone and its output is in the log file; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM, and SIGKILL when it takes longer than `graceMs` (default 15 s). */
  stop(graceMs?: number): Promise<ProcessEnd>;
  /** SIGKILL: the child gets no chance to tidy up. */
  kill(): Promise<ProcessEnd>;
  /** Stops the child's clock (SIGSTOP) until `thaw`: it holds its connections and answers nobody. */
  freeze(): void;
  thaw(): void;
  /** How it ended, with its last lines: for whoever did not expect it. */
  describe(end: ProcessEnd): string;
}

/** A child did not get ready; the message says how, and ends with the child's last lines. */
export class ProcessStartError extends Error {
  override name = 'ProcessStartError';
}

const READY_TIMEOUT_MS = 60_000;
const GRACE_MS = 15_000;

/** Starts a child and waits until it is ready. Throws ProcessStartError when it ends before, or takes too long. */
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
    // After the ready line this settles a promise that is settled, and does nothing.
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

// A parent that ends while a child hangs in its stop would leave an orphan with ports and files.
function killAtExit(child: ChildProcess): void {
  if (!isExitWatched) process.once('exit', () => ending.forEach((one) => void one.kill('SIGKILL')));
  isExitWatched = true;
  ending.add(child);
  child.once('close', () => ending.delete(child));
}

async function stopGently(signal: (name: NodeJS.Signals) => Promise<ProcessEnd>, graceMs: number): Promise<ProcessEnd> {
  const timer = setTimeout(() => void signal('SIGKILL'), graceMs);
  const ended = signal('SIGTERM');
  // A frozen child takes no signal but this one and SIGKILL.
  void signal('SIGCONT');
  return ended.finally(() => clearTimeout(timer));
}

function describeEnd(options: ProcessOptions<unknown>, end: ProcessEnd, output: ProcessOutput): string {
  const how = end.signal ? `was ended by ${end.signal}` : `ended with code ${end.code}`;
  return `${options.name} ${how}${tail(options, output)}`;
}

function tail({ onOutput, logFile }: ProcessOptions<unknown>, output: ProcessOutput): string {
  // Whoever receives the output has these lines already.
  if (onOutput) return `; its output is in ${logFile}`;
  const lines = output.lastLines().map((line) => `  ${line}`);
  return `; its last lines (all: ${logFile}):\n${lines.join('\n')}`;
}
