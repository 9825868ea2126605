import { captureOutput } from '../../cli/process/captured-output.ts';
import type { Io } from '../../cli/process/io.ts';
import { runSluice } from '../../cli/run.ts';

/** How a call of the command ended. */
export interface CommandAnswer {
  /** As docs/cli.md lists them. */
  code: number;
  /** Standard output. */
  out: string;
  /** What went wrong, with what to do about it. */
  fault?: string;
}

/**
 * Returns a function that runs the command `sluice` in this process against one app, with `--quiet`. The key goes
 * by the environment of the command, as a profile of this machine must not add another one.
 */
export function createCommand(
  io: Io,
  { url, key }: { url: string; key: string | undefined },
): (...args: string[]) => Promise<CommandAnswer> {
  return async (...args) => {
    const { written, output } = captureOutput();
    const code = await runSluice([...args, '--quiet'], {
      ...io,
      env: { SLUICE_URL: url, ...(key === undefined ? {} : { SLUICE_KEY: key }) },
      ...output,
    });
    return { code, out: written.out, ...faultOf(written.err) };
  };
}

/** The command prints a fault as a line of JSON with `--json`, else as text. */
function faultOf(err: string): Pick<CommandAnswer, 'fault'> {
  const line = err.split('\n').findLast((each) => each.startsWith('{"error":'));
  if (line === undefined) return err === '' ? {} : { fault: err.trim().replace(/^sluice: /, '') };
  const { message, hint } = (JSON.parse(line) as { error: { message: string; hint?: string } }).error;
  return { fault: hint === undefined ? message : `${message} ${hint}` };
}
