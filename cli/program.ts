import { Command, Option } from 'commander';
import { listAppCommands } from './app-commands.ts';
import { addAzure } from './azure/commands.ts';
import { addApp } from './commands/app.ts';
import { addAudit } from './commands/audit.ts';
import { addBatchWork } from './commands/batches/batch-work.ts';
import { addBatches } from './commands/batches/batches.ts';
import { addDownloads } from './commands/batches/downloads.ts';
import { addFind } from './commands/batches/find.ts';
import { addItems } from './commands/batches/items.ts';
import { addLogs } from './commands/batches/logs.ts';
import { addSubmit } from './commands/batches/submit.ts';
import { addTry } from './commands/batches/try.ts';
import { addWatch } from './commands/batches/watch.ts';
import { addDeadLetters } from './commands/dead-letters/dead-letters.ts';
import { addDiscard } from './commands/dead-letters/discard.ts';
import { addRedrive } from './commands/dead-letters/redrive.ts';
import { addHistory } from './commands/history.ts';
import { addInbox } from './commands/inbox.ts';
import { addOpen } from './commands/open.ts';
import { addOverview } from './commands/overview.ts';
import { addProfiles } from './commands/profiles.ts';
import { addClear } from './commands/queues/clear.ts';
import { addPause } from './commands/queues/pause.ts';
import { addPolicy } from './commands/queues/policy.ts';
import { addQueue } from './commands/queues/queue.ts';
import { addQueues } from './commands/queues/queues.ts';
import { addUpkeep } from './commands/upkeep.ts';
import { addDoctor } from './doctor/command.ts';
import { addExamples } from './examples.ts';
import { oneOf } from './options.ts';
import { EXIT, EXIT_MEANINGS } from './process/exit-codes.ts';
import type { Act } from './session.ts';
import { OUTPUT_FORMS, VARIABLES } from './settings.ts';

export interface ProgramOutput {
  out(text: string): void;
  err(text: string): void;
}

/** Creates the parser with all commands. It throws instead of ending the process. */
export function createProgram(act: Act, { out, err }: ProgramOutput): Command {
  const program = new Command('sluice')
    .description('Submits batches to a Sluice pipeline, watches them, and operates the pipeline.')
    .exitOverride()
    .configureOutput({
      writeOut: out,
      writeErr: err,
      outputError: (text, write) => write(text.replace(/^error: /, 'sluice: ')),
    })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('sluice --help and sluice COMMAND --help show the usage.')
    .addOption(new Option('--url <address>', 'address of the app (SLUICE_URL; defaults to the local stack)'))
    .addOption(new Option('--key <key>', 'function key (SLUICE_KEY, for operator commands SLUICE_OPERATOR_KEY)'))
    .addOption(new Option('--profile <name>', 'profile created by login (SLUICE_PROFILE)'))
    .addOption(new Option('--operator <name>', 'your name for the audit log (SLUICE_OPERATOR)'))
    .addOption(new Option('-o, --output <form>', 'output format').choices(OUTPUT_FORMS))
    .option('--json', 'the same as --output json, for scripts; errors are JSON on standard error')
    .option('--quiet', 'print neither progress nor remarks')
    .option('--no-color', 'print no colours (NO_COLOR); colours are used only in terminals')
    .option('-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help, also after a command')
    .helpCommand('help [command]', 'print help');
  program.commandsGroup('Batches:');
  for (const add of [
    ...[addTry, addSubmit, addWatch, addBatches, addDownloads, addDeadLetters],
    ...[addItems, addFind, addInbox, addOpen, addLogs],
  ])
    add(program, act);
  program.commandsGroup("Repair (requires an operator's key):");
  for (const add of [addRedrive, addDiscard, addBatchWork]) add(program, act);
  program.commandsGroup("Pipeline (requires an operator's key):");
  for (const add of [addOverview, addQueues, addQueue, addPause, addClear, addPolicy, addHistory, addUpkeep, addAudit])
    add(program, act);
  program.commandsGroup('App in this folder:');
  listAppCommands(program);
  for (const add of [addApp, addAzure, addDoctor]) add(program, act);
  program.commandsGroup('This command:');
  addProfiles(program, act);
  suggestChoices(program);
  addExamples(program);
  return program.addHelpText('after', ({ command }) => (command === program ? `\n${footer()}` : ''));
}

/** Adds suggestions of similar values: commander suggests only commands and options. */
function suggestChoices(program: Command): void {
  for (const command of [program, ...program.commands])
    for (const each of [...command.options, ...command.registeredArguments])
      if (each.argChoices !== undefined) each.argParser(oneOf(each.argChoices));
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
    '  sluice submit usage.csv --workload billing --wait',
    '  sluice report <id> --format csv --out report.csv',
  ].join('\n');
