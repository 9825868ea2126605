/** Redis or PostgreSQL: started for the bench on a free port of 127.0.0.1, or running already at an address that is given. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server that job queues use. */
export interface Server {
  url: string;
  /** Process that the bench started; undefined for one that was running. */
  pid: number | undefined;
  /** Ends what was started, and removes its data. */
  stop(): Promise<void>;
}

/** What starts a server. */
export interface Launch {
  command: string;
  args: readonly string[];
  /** Account that it runs as; default: this process's own. */
  user?: { uid: number; gid: number } | undefined;
  /** The line of its output that says it takes connections. */
  ready: string;
}

const READY_MS = 30_000;
const STOP_MS = 15_000;

/** A server that is running; the bench neither measures its CPU time nor ends it. */
export const runningServer = (url: string): Server => ({ url, pid: undefined, stop: async () => {} });

/** Starts a server and waits until it is ready. Throws with its output when it ends before, or takes longer than 30 s. */
export async function launchServer({ command, args, user, ready }: Launch): Promise<Pick<Server, 'pid' | 'stop'>> {
  const child = spawn(command, args, { ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'close').catch(() => {});
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    // To PostgreSQL SIGINT is the fast shutdown; SIGTERM would wait for its clients.
    child.kill('SIGINT');
    const late = setTimeout(kill, STOP_MS);
    await gone;
    clearTimeout(late);
    process.off('exit', kill);
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
    // What comes afterwards is read too, or the server would wait for room in the pipe.
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
