import { type Command, CommanderError } from 'commander';
import { ApiProblem } from './api/problem.ts';
import { CliError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import { createProgram } from './program.ts';
import { type Act, type Action, createSession } from './session.ts';
import { printable } from './text/printable.ts';

/** The whole command: arguments in, exit code out. */
export async function runSluice(args: readonly string[], io: Io): Promise<ExitCode> {
  let ending: ExitCode = EXIT.done;
  const act: Act =
    <A extends unknown[]>(action: Action<A>) =>
    async (...all: [...A, Command]) => {
      // Commander calls with the arguments and the options that the command has declared, and with the command itself.
      const command = all.at(-1) as Command;
      const given = all.slice(0, -1) as unknown[] as A;
      ending = await action(createSession(io, command.optsWithGlobals()), ...given);
    };
  const program = createProgram(act, {
    out: (text) => void io.stdout.write(text),
    err: (text) => void io.stderr.write(text),
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return ending;
  } catch (error: unknown) {
    return explain(error, io, args.includes('--json'));
  }
}

/** Tells what went wrong, and gives its exit code. */
function explain(error: unknown, io: Io, isJson: boolean): ExitCode {
  // The parser has told it already; asking for help is no fault.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { message } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof CliError ? error : new CliError(message, { cause: error });
  io.stderr.write(`${isJson ? JSON.stringify(faultOf(known)) : printable(textOf(known))}\n`);
  return known.exitCode;
}

const textOf = ({ message, hint }: CliError): string => `sluice: ${message}${hint === undefined ? '' : `\n${hint}`}`;

function faultOf(error: CliError): unknown {
  const { message, hint, exitCode } = error;
  return { error: { exitCode, message, hint, ...(error instanceof ApiProblem ? { problem: error.facts } : {}) } };
}
