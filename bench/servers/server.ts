/**
 * Redis or PostgreSQL, either started for the bench on a free port of 127.0.0.1, or already running at a given address.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

/** A server that job queues use. */
export interface Server {
  url: string;
  /** Process that the bench started; undefined for a server that was already running. */
  pid: number | undefined;
  /** Ends a started server, and removes its data. */
  stop(): Promise<void>;
}

/** The command that starts a server. */
export interface Launch {
  command: string;
  args: readonly string[];
  /** Account to run as; defaults to that of this process. */
  user?: { uid: number; gid: number } | undefined;
  /** The line of its output that reports that it accepts connections. */
  ready: string;
}

const CONNECT_MS = 10_000;
const READY_MS = 30_000;
const STOP_MS = 15_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Returns a server that is already running; the bench neither measures its CPU time nor ends it. Throws if nothing
 * accepts connections at its address, because job queues would retry indefinitely.
 */
export async function runningServer(url: string): Promise<Server> {
  const { hostname, port } = new URL(url);
  const defaultPort = url.startsWith('redis') ? 6379 : 5432;
  const socket = connect({ host: hostname, port: Number(port || defaultPort), timeout: CONNECT_MS });
  try {
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'timeout').then(() => Promise.reject(new Error('timeout'))),
    ]);
  } catch (error) {
    throw new Error(
      `Expected a server at ${hostname}:${port || defaultPort}, could not connect (${(error as Error).message}).`,
    );
  } finally {
    socket.destroy();
  }
  return { url, pid: undefined, stop: async () => {} };
}

/**
 * Starts a server and waits until it is ready. Throws with its output if it ends before, or is not ready after 30 s.
 */
export async function launchServer({ command, args, user, ready }: Launch): Promise<Pick<Server, 'pid' | 'stop'>> {
  const child = spawn(command, args, { ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'close').catch(() => {});
  const kill = (): boolean => child.kill('SIGKILL');
  // By default, a signal ends this process without its `exit` event, and the server would continue to run.
  const end = (): never => process.exit(1);
  process.once('exit', kill);
  for (const signal of SIGNALS) process.once(signal, end);
  const stop = async (): Promise<void> => {
    // For PostgreSQL, SIGINT is the fast shutdown; SIGTERM would wait for its clients.
    child.kill('SIGINT');
    const late = setTimeout(kill, STOP_MS);
    await gone;
    clearTimeout(late);
    process.off('exit', kill);
    for (const signal of SIGNALS) process.off(signal, end);
  };
  try {
    await untilReady(child, command, ready);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid, stop };
}

async function untilReady(child: ChildProcess, command: string, ready: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let output = '';
  const fail = (what: string): void => reject(new Error(`${command} ${what}: ${output.slice(-1_000)}`));
  const read = (text: Buffer): void => {
    // Later output is also read, because otherwise the server would block when the pipe is full.
    if (output.includes(ready)) return;
    output += text.toString();
    if (output.includes(ready)) resolve();
  };
  child.stdout?.on('data', read);
  child.stderr?.on('data', read);
  child.once('error', ({ message }) => fail(`could not be started (${message})`));
  child.once('close', () => fail('ended before it was ready'));
  const late = setTimeout(() => fail('was not ready in time'), READY_MS);
  await promise.finally(() => clearTimeout(late));
}
