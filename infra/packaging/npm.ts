import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs npm with arguments in a folder. Throws an Error with the output of npm if it fails. */
export type RunNpm = (args: readonly string[], folder: string) => Promise<void>;

const run = promisify(execFile);

/**
 * Runs npm with the user's own settings and proxy. Under `npm run`, the script of the same npm is used, because Node.js cannot
 * start `npm.cmd` on Windows.
 */
export const runNpm: RunNpm = async (args, folder) => {
  const script = process.env.npm_execpath;
  const [command, ...first] = script === undefined ? ['npm'] : [process.execPath, script];
  try {
    await run(command as string, [...first, ...args], { cwd: folder });
  } catch (error: unknown) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Error(`npm ${args.join(' ')} failed.\n${stderr}`.trim(), { cause: error });
  }
};
