/** The `functions-local` command. Exit codes: 0 stopped, 1 the start or a part failed, 2 the command line is wrong. */
import process from 'node:process';
import { CommanderError } from 'commander';
import { toError } from '../host/errors.ts';
import { onStopSignals } from '../stop-signals.ts';
import { createConsole } from './console.ts';
import { StartError } from './errors.ts';
import { createProgram, type StartOptions } from './program.ts';
import { startApp } from './start-app.ts';

const FAILED = 1;
const USAGE = 2;
const output = createConsole(process);

/** Resolves at the first stop signal. */
const interruption = (): Promise<void> => new Promise(onStopSignals);

async function start(folder: string, options: StartOptions): Promise<void> {
  const interrupted = interruption();
  // The parts end together with this process. Therefore an interrupted start needs no stop.
  const app = await Promise.race([startApp(folder, options, output), interrupted]);
  if (!app) return;
  const failure = await Promise.race([app.failed, interrupted]);
  if (failure !== undefined) output.error(failure);
  else output.print('Stopping');
  await app.stop();
  if (failure !== undefined) process.exitCode = FAILED;
}

function explain(error: unknown, isVerbose: boolean): number {
  // The parser has written its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof StartError)) {
    output.error(toError(error).stack ?? String(error));
    return FAILED;
  }
  for (const problem of error.problems) output.error(problem);
  if (isVerbose && error.detail !== undefined) process.stderr.write(`${error.detail}\n`);
  return FAILED;
}

// The reader of the output has closed it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const program = createProgram(start, {
  out: (text) => void process.stdout.write(text),
  usageError: output.error,
});
try {
  await program.parseAsync(process.argv);
  process.exit();
} catch (error: unknown) {
  process.exit(explain(error, process.argv.includes('--verbose')));
}
