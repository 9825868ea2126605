import type { Io } from '../../cli/process/io.ts';
import { runSluice } from '../../cli/run.ts';
import { captureOutput } from './captured-output.ts';

/** The result of a call of the command. */
export interface CommandAnswer {
  /** The exit codes of docs/cli.md. */
  code: number;
  /** Standard output. */
  out: string;
  /** The error message with its hint. */
  fault?: string;
}

/**
 * Returns a function that runs the command `sluice` in this process against one app, with `--quiet`. Address and key are passed
 * in the environment of the command, so that no profile of this machine is used.
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

/** Extracts the error, which the command prints as a line of JSON with `--json`, otherwise as text. */
function faultOf(err: string): Pick<CommandAnswer, 'fault'> {
  const line = err.split('\n').findLast((each) => each.startsWith('{"error":'));
  if (line === undefined) return err === '' ? {} : { fault: err.trim().replace(/^sluice: /, '') };
  const { message, hint } = (JSON.parse(line) as { error: { message: string; hint?: string } }).error;
  return { fault: hint === undefined ? message : `${message} ${hint}` };
}
