/** The commands that run the app in the working folder. local/commands.ts has their code, and their own parsers. */
import type { Command } from 'commander';

const COMMON = `  --workload W    workload of FILE; defaults to the first of workloads/index.ts
  --delimiter D, --decimal D, --rename 'Old name=newName' (repeatable), --charset C, --sheet S
                  format of a table, as for sluice submit; detected by default
  --instances N   host processes of the app behind a router, like instances in Azure; default 1
  --port N        port of the app; default: that of the last start, or 7071
  --subscription 'NAME=FILTER'
                  an additional subscription to the events, with an SQL filter; repeatable (docs/events.md)
  --keep          keep the data of the last start; ports and keys are always kept
  --help`;
const FILE_KINDS = `.ndjson, .jsonl, .json (array), .csv or .tsv, each also as .gz,
                  .br or .zst; or .xlsx or .parquet, which are converted`;
const SAMPLE = `                  Without FILE, samples/W.* is processed if there is one.
`;

/** The options of `start`. `generated` describes what is used without FILE. */
export const startOptions = (generated = SAMPLE): string => `  FILE            your own upload: ${FILE_KINDS}
${generated}  --once          end after the report, instead of continuing to run
  --again         with --keep: process FILE again, even if the same content was submitted before
${COMMON}`;

/** The options of `dev`, as those of `start`. */
export const devOptions = (generated = SAMPLE): string =>
  `  FILE            file to process at the start and at each r: ${FILE_KINDS}
${generated}${COMMON}`;

const COMMANDS = {
  start: ['run the app of this folder on the local stack, and process a file', startOptions()],
  dev: ['the same, and apply each edit', devOptions()],
} as const;

export type AppCommandName = keyof typeof COMMANDS;
export const isAppCommand = (name: string): name is AppCommandName => Object.hasOwn(COMMANDS, name);

/** Lists the commands in the help. They are started before this parser. */
export function listAppCommands(program: Command): void {
  for (const [name, [text, options]] of Object.entries(COMMANDS))
    program.command(name).summary(text).description(text).argument('[file]').addHelpText('after', `\n${options}`);
}
