import { type Command, CommanderError } from 'commander';
import { ApiProblem } from './api/problem.ts';
import { BATCH_ARGUMENTS, resolveBatchId } from './names/batch-id.ts';
import { colorFault, hasColors } from './process/colors.ts';
import { type CliError, toCliError, UsageError } from './process/errors.ts';
import { EXIT, type ExitCode } from './process/exit-codes.ts';
import type { Io } from './process/io.ts';
import { chooseProfile } from './profiles/choose.ts';
import { createProgram } from './program.ts';
import { type Act, type Action, createSession, type Session } from './session.ts';
import type { GlobalOptions, OutputForm } from './settings.ts';
import { printable } from './text/printable.ts';
import { packageVersion } from './version.ts';

/** The output formats of a command that does not print a list. */
const PLAIN_FORMS: readonly OutputForm[] = ['table', 'json'];

/** Runs the command and returns its exit code. */
export async function runSluice(args: readonly string[], io: Io): Promise<ExitCode> {
  let ending: ExitCode = EXIT.done;
  const act: Act =
    <A extends unknown[]>(action: Action<A>, forms = PLAIN_FORMS) =>
    async (...all: [...A, Command]) => {
      // Commander passes the declared arguments, the options, and the command itself.
      const command = all.at(-1) as Command;
      const options = command.optsWithGlobals<GlobalOptions & { version?: true }>();
      if (options.version)
        throw new UsageError(`--version: cannot be combined with a command; ${command.name()} was not run`);
      const session = createSession(io, options, await chooseProfile(io, options));
      checkForm(session, forms);
      ending = await action(session, ...((await resolveIds(session, command, all.slice(0, -1))) as A));
    };
  const isJson = asksForJson(args);
  const program = createProgram(act, {
    out: (text) => void io.stdout.write(text),
    err: (text) => void (isJson ? undefined : io.stderr.write(text)),
  });
  try {
    if (isVersion(args)) return printVersion(io, isJson);
    await program.parseAsync([...args], { from: 'user' });
    return ending;
  } catch (error: unknown) {
    return explain(error, io, { isJson, isColored: hasColors(io.env, io.stderr, !args.includes('--no-color')) });
  }
}

/** Whether the command line requests JSON, even if the parser refuses it. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.some(
    (arg, n) =>
      ['--json', '--output=json', '-ojson'].includes(arg) ||
      (arg === 'json' && ['-o', '--output'].includes(options[n - 1] ?? '')),
  );
}

const isVersion = (args: readonly string[]): boolean =>
  ['--version', '-V'].includes(args[0] ?? '') && args.slice(1).every((arg) => arg.startsWith('-') || arg === 'json');

function printVersion({ stdout }: Io, isJson: boolean): ExitCode {
  const version = packageVersion();
  stdout.write(`${isJson ? JSON.stringify({ version }) : version}\n`);
  return EXIT.done;
}

function checkForm({ settings: { output } }: Session, forms: readonly OutputForm[]): void {
  if (output === undefined || forms.includes(output)) return;
  throw new UsageError(`--output ${output}: expected one of ${forms.join(', ')} for this command`);
}

/** Resolves abbreviated batch ids among the arguments, so that the commands do not have to. */
function resolveIds(session: Session, command: Command, given: readonly unknown[]): Promise<unknown[]> {
  const names = command.registeredArguments.map((argument) => argument.name());
  return Promise.all(
    given.map((value, n) =>
      typeof value === 'string' && BATCH_ARGUMENTS.has(names[n] ?? '') ? resolveBatchId(session, value) : value,
    ),
  );
}

function explain(error: unknown, io: Io, { isJson, isColored }: { isJson: boolean; isColored: boolean }): ExitCode {
  // --help is not an error. The parser has already printed other errors, but not as JSON.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  if (error instanceof CommanderError && !isJson) return EXIT.usage;
  const known = error instanceof CommanderError ? usageErrorOf(error) : toCliError(error);
  const text = isJson ? JSON.stringify(faultOf(known)) : printable(textOf(known));
  io.stderr.write(`${isColored && !isJson ? colorFault(text) : text}\n`);
  return known.exitCode;
}

function usageErrorOf(error: CommanderError): UsageError {
  const isHelp = error.code === 'commander.help';
  return new UsageError(isHelp ? 'expected a command' : error.message.replace(/^error: /, ''), { cause: error });
}

const textOf = ({ message, hint }: CliError): string => `sluice: ${message}${hint === undefined ? '' : `\n${hint}`}`;

function faultOf(error: CliError): unknown {
  const { message, hint, exitCode, cause } = error;
  const problem = [error, cause].find((each) => each instanceof ApiProblem);
  return { error: { exitCode, message, hint, ...(problem ? { problem: problem.facts } : {}) } };
}
