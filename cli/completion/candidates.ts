/** Finds the words that can complete a command line, from the declarations of the commands. */
import type { Argument, Command, Option } from 'commander';

/** Candidates that come from the app, the profiles or the file system. */
export type Source = 'batches' | 'queues' | 'workloads' | 'profiles' | 'files';

/** A word to offer, with its description. */
export interface Candidate {
  word: string;
  meaning?: string;
}

/** The candidates, and the `sources` to ask for more. `values` are those of the options so far. */
export interface Offer {
  candidates: Candidate[];
  sources: Source[];
  values: Readonly<Record<string, string>>;
}

const OF_ARGUMENTS: Readonly<Record<string, readonly Source[]>> = {
  id: ['batches'],
  batch: ['batches'],
  queue: ['queues'],
  'queue or batch': ['queues', 'batches'],
  file: ['files'],
  files: ['files'],
};
const OF_OPTIONS: Readonly<Record<string, readonly Source[]>> = {
  '--workload': ['workloads'],
  '--profile': ['profiles'],
  '--out': ['files'],
  '--put': ['files'],
  '--corrected': ['files'],
  '--logs': ['files'],
};

/** Returns what can complete the line. `words` are those after `sluice`; the last one is what has been typed of it so far. */
export function offerFor(program: Command, words: readonly string[]): Offer {
  const typed = words.at(-1) ?? '';
  const line = readLine(program, words.slice(0, -1));
  if (line === undefined) return { candidates: [], sources: [], values: {} };
  const { open, command, values } = line;
  const offer = (candidates: readonly Candidate[], sources: readonly Source[] = []): Offer => ({
    candidates: candidates.filter(({ word }) => word.startsWith(typed)),
    sources: [...sources],
    values,
  });
  if (open !== undefined) return offer(choicesOf(open), OF_OPTIONS[open.long ?? '']);
  if (typed.startsWith('-') && !line.isOver) return offer(optionsOf(program, command));
  if (command === undefined) return offer(commandsOf(program));
  if (command.name() === 'help') return offer(commandsOf(program));
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[line.operands] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? offer([]) : offer(choicesOf(argument), OF_ARGUMENTS[argument.name()]);
}

interface Line {
  command: Command | undefined;
  /** Number of arguments of the command so far. */
  operands: number;
  /** The option whose value comes next. */
  open: Option | undefined;
  /** Whether `--` was given, after which there are no options. */
  isOver: boolean;
  values: Record<string, string>;
}

/** Reads the complete words of the line. Returns undefined if the command does not exist. */
function readLine(program: Command, words: readonly string[]): Line | undefined {
  const line: Line = { command: undefined, operands: 0, open: undefined, isOver: false, values: {} };
  // bash splits --state=failed into three words, with = as one of them.
  for (const word of words.filter((each) => each !== '=')) {
    if (line.open !== undefined) {
      line.values[line.open.attributeName()] = word;
      line.open = undefined;
    } else if (word === '--') line.isOver = true;
    else if (word.startsWith('-') && word !== '-' && !line.isOver) {
      const [name = '', value] = word.split(/=(.*)/, 2);
      const option = [...program.options, ...(line.command?.options ?? [])].find(
        ({ long, short }) => long === name || short === name,
      );
      if (option === undefined || !(option.required || option.optional)) continue;
      if (value === undefined) line.open = option;
      else line.values[option.attributeName()] = value;
    } else if (line.command === undefined) {
      line.command = program
        .createHelp()
        .visibleCommands(program)
        .find((each) => each.name() === word);
      if (line.command === undefined) return undefined;
    } else line.operands++;
  }
  return line;
}

const commandsOf = (program: Command): Candidate[] =>
  program
    .createHelp()
    .visibleCommands(program)
    .map((command) => ({ word: command.name(), meaning: command.summary() || command.description() }));

function optionsOf(program: Command, command: Command | undefined): Candidate[] {
  const help = (command ?? program).createHelp();
  const all = [...help.visibleOptions(command ?? program), ...(command === undefined ? [] : program.options)];
  return all
    .filter(({ hidden, long }) => !hidden && long !== undefined)
    .map(({ long, description }) => ({ word: long ?? '', meaning: description }));
}

const choicesOf = ({ argChoices = [] }: Option | Argument): Candidate[] => argChoices.map((word) => ({ word }));
