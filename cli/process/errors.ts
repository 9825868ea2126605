import { toError } from '../../shared/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Ends the command with `exitCode`. `hint` says what the user can do. */
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

/** Converts any thrown value to a CliError. */
export function toCliError(thrown: unknown): CliError {
  return thrown instanceof CliError ? thrown : new CliError(toError(thrown).message, { cause: thrown });
}

export class UsageError extends CliError {
  override name = 'UsageError';
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { ...options, exitCode: EXIT.usage });
  }
}

/** The app did not answer, or the connection failed. */
export class Unreachable extends CliError {
  override name = 'Unreachable';
}
