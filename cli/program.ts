import { Command, Option } from 'commander';
import { addBatchWork } from './commands/batch-work.ts';
import { addBatches } from './commands/batches.ts';
import { addDeadLetters } from './commands/dead-letters.ts';
import { addDownloads } from './commands/downloads.ts';
import { addPause } from './commands/pause.ts';
import { addPolicy } from './commands/policy.ts';
import { addQueues } from './commands/queues.ts';
import { addRedrive } from './commands/redrive.ts';
import { addSubmit } from './commands/submit.ts';
import { addTry } from './commands/try.ts';
import { addUpkeep } from './commands/upkeep.ts';
import { addWatch } from './commands/watch.ts';
import { EXIT, EXIT_MEANINGS } from './exit-codes.ts';
import type { Act } from './session.ts';
import { VARIABLES } from './settings.ts';

/** Where the parser writes, and how wide. */
export interface ProgramOutput {
  out(text: string): void;
  err(text: string): void;
}

/** Every command with its arguments and help. The parser throws instead of ending the process. */
export function createProgram(act: Act, { out, err }: ProgramOutput): Command {
  const program = new Command('sluice')
    .description('Sends batches to a Sluice pipeline, watches them, and repairs what needs repair.')
    .exitOverride()
    .configureOutput({
      writeOut: out,
      writeErr: err,
      outputError: (text, write) => write(text.replace(/^error: /, 'sluice: ')),
    })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('sluice --help, and --help behind a command, tell how it is called.')
    .addOption(new Option('--url <address>', 'the app (SLUICE_URL; default the local stack)'))
    .addOption(new Option('--key <key>', 'function key (SLUICE_KEY, for operator commands SLUICE_OPERATOR_KEY)'))
    .option('--json', 'JSON for scripts, on standard output; faults as JSON on standard error')
    .option('--quiet', 'neither progress nor remarks')
    .helpOption('-h, --help', 'how it is called, also behind a command')
    .helpCommand('help [command]', 'the same');
  program.commandsGroup('Batches:');
  for (const add of [addTry, addSubmit, addWatch, addBatches, addDownloads, addDeadLetters]) add(program, act);
  program.commandsGroup("Repair, with an operator's key:");
  for (const add of [addRedrive, addBatchWork]) add(program, act);
  program.commandsGroup("Pipeline, with an operator's key:");
  for (const add of [addQueues, addPause, addPolicy, addUpkeep]) add(program, act);
  return program.addHelpText('after', ({ command }) => (command === program ? `\n${footer()}` : ''));
}

const footer = (): string =>
  [
    'Environment:',
    ...Object.entries(VARIABLES).map(([name, meaning]) => `  ${name.padEnd(24)} ${meaning}`),
    '',
    'Exit codes:',
    ...Object.entries(EXIT).map(([name, code]) => `  ${code}  ${EXIT_MEANINGS[name as keyof typeof EXIT]}`),
    '',
    'Examples:',
    '  sluice submit usage.csv --wait',
    '  sluice report <id> --format csv --out report.csv',
  ].join('\n');
