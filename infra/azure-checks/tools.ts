/** The external tools of the checks: az, HTTP and the smoke test. All calls are recorded for the report. */
import { execFile } from 'node:child_process';

/** The result of a command. */
export interface CommandEnd {
  code: number;
  stdout: string;
  stderr: string;
}

export interface HttpAnswer {
  status: number;
  text: string;
  /** Time from the request to the complete answer. */
  ms: number;
}

/** The environment of a run; tests replace it. */
export interface Machine {
  run: (command: string, args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<CommandEnd>;
  get: (url: string, key?: string) => Promise<HttpAnswer>;
  now: () => Date;
  writeFile: (path: string, text: string) => Promise<void>;
}

/** The machine with recorded calls. */
export interface Tools {
  /**
   * Runs az and returns its JSON output.
   * @throws Error with the error output if az fails.
   */
  az: (...args: string[]) => Promise<unknown>;
  /** Requests an address. Returns status 0 with the reason if there is no answer, because an unreachable app is a finding. */
  get: (url: string, key?: string) => Promise<HttpAnswer>;
  /** Runs the smoke test. The key is passed in the environment, so that neither the process list nor the report shows it. */
  smoke: (args: readonly string[], key: string) => Promise<CommandEnd>;
  now: () => Date;
  saveFile: (path: string, text: string) => Promise<void>;
  /** The commands that ran so far, in a form that can be repeated. */
  commands: readonly string[];
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
const lineOf = (command: string, args: readonly string[]): string => [command, ...args].map(quoted).join(' ');

/** Creates the tools of one check. If `subscription` is undefined, az uses the selected one. */
export function createTools(machine: Machine, subscription: string | undefined): Tools {
  const commands: string[] = [];
  return {
    commands,
    az: async (...given) => {
      const args = [...given, ...(subscription === undefined ? [] : ['--subscription', subscription])];
      commands.push(lineOf('az', args));
      const { code, stdout, stderr } = await machine.run('az', [...args, '--output', 'json']);
      if (code !== 0) throw new Error(`az failed with exit code ${code}: ${firstLines(stderr)}`);
      return stdout.trim() === '' ? undefined : JSON.parse(stdout);
    },
    get: async (url, key) => {
      commands.push(`${key === undefined ? 'curl' : 'curl -H "x-functions-key: …"'} ${quoted(url)}`);
      return await machine.get(url, key).catch((error: unknown) => ({ status: 0, text: reasonOf(error), ms: 0 }));
    },
    smoke: (args, key) => {
      const line = ['run', 'smoke', '--', ...args];
      commands.push(`SLUICE_KEY=… ${lineOf('npm', line)}`);
      return machine.run('npm', ['run', '--silent', ...line.slice(1)], { SLUICE_KEY: key });
    },
    now: machine.now,
    saveFile: machine.writeFile,
  };
}

/** Returns the reason of a failed fetch, which is in its cause. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};
const firstLines = (text: string): string => text.trim().split('\n').slice(0, 3).join(' ').slice(0, 400);

/** Runs a program and returns any exit code. Rejects if the program cannot be started. */
export const runCommand: Machine['run'] = (command, args, env = {}) =>
  new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr });
      if (typeof error.code === 'number') return resolve({ code: error.code, stdout, stderr });
      reject(new Error(`${command} could not be started: ${error.message}`));
    });
  });
