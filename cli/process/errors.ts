/** The errors that end the command, one class per exit code or form of message. */
import { toError } from '../../shared/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Ends the command with `exitCode`. `hint` is what to do about it. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  constructor(message: string, options: { exitCode?: ExitCode; hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.hint = options.hint;
  }
}

/** Whatever was thrown, as what ends the command. */
export function toCliError(thrown: unknown): CliError {
  return thrown instanceof CliError ? thrown : new CliError(toError(thrown).message, { cause: thrown });
}

/** The command line cannot be understood; the message holds every problem. */
export class UsageError extends CliError {
  override name = 'UsageError';
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { ...options, exitCode: EXIT.usage });
  }
}

/** No answer came: the app is not there, or the line broke. */
export class Unreachable extends CliError {
  override name = 'Unreachable';
}
