/** The command without its process: arguments in, exit code out. */
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { Problem } from '../../shared/errors.ts';
import type { CsvOptions } from '../../shared/intake/parse/csv-options.ts';
import { UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { csvFlagsText, readCsvFlags, shellWord } from '../try/csv-flags.ts';
import { createWorkload, NewWorkloadError } from './create-workload.ts';
import { planFromSample } from './sample.ts';

const USAGE = `Usage: npm run new-workload -- NAME [--from FILE]
  NAME                lower-case words joined by dashes, such as invoice-checks
  --from FILE         a sample of the items (.csv, .ndjson, .json, also .gz, .br or .zst): the schema is written from it
  --delimiter NAME    of a CSV sample: comma, semicolon, tab or pipe; default found from its head
  --decimal NAME      point or comma; default point
  --rename OLD=NEW    another name for a column; repeatable
  --charset NAME      utf-8, windows-1252 or utf-16le; default utf-8`;

/** What the command knows of the world. */
export interface NewWorkloadWorld {
  /** Of the checkout. */
  root: string;
  /** What a relative sample is relative to. */
  folder: string;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable;
}

/** Runs the command. */
export async function newWorkload(args: readonly string[], world: NewWorkloadWorld): Promise<ExitCode> {
  const { stdout, stderr } = world;
  try {
    const { name, from, csv } = readArgs(args);
    const sample = from ?? (await askForSample(world));
    const path = sample === '' ? undefined : resolve(world.folder, sample);
    const plan = path === undefined ? undefined : await planFromSample(path, csv);
    const made = await createWorkload(world.root, name, plan);
    const file = (file: string): string => relative(world.root, file);
    const sampleFile = sample === '' ? 'FILE' : shellWord(sample);
    const options = [`--workload ${name}`, ...csvFlagsText(csv)].join(' ');
    stdout.write(`Made ${file(made.workload)}
Made ${file(made.test)}
Added it to ${file(made.index)}

Next: npx vitest run ${file(made.test)}
Then: npm run sluice -- try ${sampleFile} ${options} --run
Then: npm start -- ${sampleFile} --workload ${name}
docs/workloads.md goes through all of it.\n`);
    return EXIT.done;
  } catch (error: unknown) {
    const exitCode = exitCodeOf(error);
    if (exitCode === undefined) throw error;
    stderr.write(`${(error as Error).message}\n${exitCode === EXIT.usage ? `${USAGE}\n` : ''}`);
    return exitCode;
  }
}

const TEXT = { type: 'string' } as const;

function readArgs(args: readonly string[]): { name: string; from: string | undefined; csv: CsvOptions } {
  const { values, positionals } = parse(args);
  const [name, ...more] = positionals;
  if (name === undefined) throw new UsageError('NAME is missing.');
  if (more.length > 0) throw new UsageError(`Expected one name, got ${positionals.join(' ')}.`);
  return { name, from: values.from, csv: readCsvFlags(values) };
}

function parse(args: readonly string[]) {
  const options = {
    from: TEXT,
    delimiter: TEXT,
    decimal: TEXT,
    charset: TEXT,
    rename: { ...TEXT, multiple: true },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error: unknown) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

async function askForSample({ stdin, stdout }: NewWorkloadWorld): Promise<string> {
  if (!stdin.isTTY) return '';
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return (await terminal.question('A sample of the items, to write the schema from (Enter: none): ')).trim();
  } finally {
    terminal.close();
  }
}

/** undefined for what is no fault of the caller. */
function exitCodeOf(error: unknown): ExitCode | undefined {
  if (error instanceof UsageError) return EXIT.usage;
  const isMissingFile = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return error instanceof NewWorkloadError || error instanceof Problem || isMissingFile ? EXIT.failed : undefined;
}
