/** What the checks reach outside: az, HTTP and the smoke test. All of it is recorded for the report. */
import { execFile } from 'node:child_process';

/** How a command ended. */
export interface CommandEnd {
  code: number;
  stdout: string;
  stderr: string;
}

export interface HttpAnswer {
  status: number;
  text: string;
  /** From the request to the whole answer. */
  ms: number;
}

/** What a run needs of its machine; tests give a fake one. */
export interface Machine {
  run: (command: string, args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<CommandEnd>;
  get: (url: string) => Promise<HttpAnswer>;
  now: () => Date;
  writeFile: (path: string, text: string) => Promise<void>;
}

/** The machine as checks see it: what they run is written down. */
export interface Tools {
  /**
   * Runs az and returns what it answers as JSON.
   * @throws Error with what az says where it fails.
   */
  az: (...args: string[]) => Promise<unknown>;
  /** An address that nobody answers at gives status 0, with the reason as text: an app that is not there is a finding. */
  get: (url: string) => Promise<HttpAnswer>;
  /** Runs the smoke test. The key goes by the environment, so that no list of processes and no report shows it. */
  smoke: (args: readonly string[], key: string) => Promise<CommandEnd>;
  now: () => Date;
  saveFile: (path: string, text: string) => Promise<void>;
  /** What was run so far, as a reader would repeat it. */
  commands: readonly string[];
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
const lineOf = (command: string, args: readonly string[]): string => [command, ...args].map(quoted).join(' ');

/** Wraps a machine for one check. `subscription`: that of each az call; undefined: the one that az has selected. */
export function createTools(machine: Machine, subscription: string | undefined): Tools {
  const commands: string[] = [];
  return {
    commands,
    az: async (...given) => {
      const args = [...given, ...(subscription === undefined ? [] : ['--subscription', subscription])];
      commands.push(lineOf('az', args));
      const { code, stdout, stderr } = await machine.run('az', [...args, '--output', 'json']);
      if (code !== 0) throw new Error(`az ended with ${code}: ${firstLines(stderr)}`);
      return stdout.trim() === '' ? undefined : JSON.parse(stdout);
    },
    get: async (url) => {
      commands.push(lineOf('curl', [url]));
      return await machine.get(url).catch((error: unknown) => ({ status: 0, text: reasonOf(error), ms: 0 }));
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

/** The reason of a failed fetch is in its cause. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};
const firstLines = (text: string): string => text.trim().split('\n').slice(0, 3).join(' ').slice(0, 400);

/** Runs a program; an error of starting it is thrown, any exit code is returned. */
export const runCommand: Machine['run'] = (command, args, env = {}) =>
  new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr });
      if (typeof error.code === 'number') return resolve({ code: error.code, stdout, stderr });
      reject(new Error(`${command} could not be started: ${error.message}`));
    });
  });
