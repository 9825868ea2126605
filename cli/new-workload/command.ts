/** The command without its process: accepts arguments and returns the exit code. */
import { relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command, CommanderError } from 'commander';
import { Problem } from '../../shared/errors.ts';
import { shellFile } from '../../shared/shell-word.ts';
import { CliError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { sourceFlagsText } from '../try/flags-text.ts';
import { addTableOptions, type TableFlags } from '../upload/csv-flags.ts';
import { createWorkload, NewWorkloadError } from './create-workload.ts';
import { planFromSample } from './sample.ts';

/** The parts of the process that the command uses; `root` is the folder of the app. */
export type NewWorkloadWorld = Pick<Io, 'folder' | 'stdin' | 'stdout' | 'stderr' | 'randomId' | 'fetch'> & {
  root: string;
};

interface Options extends TableFlags {
  from?: string;
}

/** Runs the command. */
export async function newWorkload(args: readonly string[], world: NewWorkloadWorld): Promise<ExitCode> {
  const program = new Command('sluice new-workload')
    .description('Creates a workload and its test, and adds the workload to the registry.')
    .argument('<name>', 'lower-case words joined by dashes, such as invoice-checks')
    .option('--from <file>', 'a sample of the items; the schema is derived from its first 10,000 records')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void world.stdout.write(text),
      writeErr: (text) => void world.stderr.write(text),
    });
  addTableOptions(program).action((name: string, options: Options) => make(name, options, world));
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error: unknown) {
    // The parser has already printed the error. --help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (!(error instanceof NewWorkloadError || error instanceof CliError || error instanceof Problem)) throw error;
    world.stderr.write(`${error.message}\n`);
    return error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}

async function make(name: string, options: Options, world: NewWorkloadWorld): Promise<void> {
  const { root, stdout } = world;
  const sample = options.from ?? (await askForSample(world));
  const planned =
    sample === ''
      ? undefined
      : await planFromSample({ io: world, inform: (text) => void world.stderr.write(`${text}\n`) }, sample, options);
  const made = await createWorkload(root, name, planned?.plan);
  const shown = (path: string): string => relative(root, path);
  const file = sample === '' ? 'FILE' : shellFile(sample);
  const flags = [`--workload ${name}`, ...sourceFlagsText(planned?.options ?? options)].join(' ');
  stdout.write(`Created ${shown(made.workload)}
Created ${shown(made.test)}
Added the workload to ${shown(made.index)}

Next: npm run sluice -- try ${file} ${flags} --run
Then: npx vitest run ${shown(made.test)}
Then: npm start -- ${file} ${flags}
docs/workloads.md explains each step.\n`);
}

async function askForSample({ stdin, stdout }: NewWorkloadWorld): Promise<string> {
  if (!stdin.isTTY) return '';
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return (
      await terminal.question('File with a sample of the items, to derive the schema from (Enter: none): ')
    ).trim();
  } finally {
    terminal.close();
  }
}
