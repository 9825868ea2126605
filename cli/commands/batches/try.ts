import type { Command } from 'commander';
import { whole } from '../../options.ts';
import type { Act, Action } from '../../session.ts';
import type { TryOptions } from '../../try/try-file.ts';
import { addSourceOptions } from '../../upload/csv-flags.ts';

const HELP = `
Reads and validates the first items on this machine with the workloads of the app in this folder, without a stack or
network, and stores nothing. Prints the detected format, the invalid items by cause, the first valid item as the handler receives it, and the
estimated size and price of the whole file. If there is no app, or it does not have the workload, the app at SLUICE_URL checks the file;
--remote always uses the app.

--run also runs the handler on these items and creates the report. Side effects of the handler are real. Retries follow without
a delay, rateLimit and maxConcurrency are not applied, and the workload's containers are empty and in memory.

Exit codes: 0 if all items are valid, 5 if some are invalid or became dead letters, 9 if none is valid, 1 if the file cannot be
read, 8 if the report failed.

Examples:
  sluice try orders.csv --workload orders
  sluice try orders.csv --workload orders --decimal comma --rename 'Order No=id' --run
  head -1000 orders.ndjson | sluice try - --workload orders --json`;

/** `sluice try FILE|-`. */
export function addTry(program: Command, act: Act): void {
  const command = program
    .command('try')
    .summary('check a file before it is submitted, and run its first items locally')
    .description('Checks the first items of a file against a workload, on this machine, and optionally runs them.')
    .argument('<file>', 'the file; - is standard input')
    .option('--workload <name>', 'the workload that checks the items; required if there are several')
    .option('--items <n>', 'number of items to read', whole(1, 1_000_000), 1_000);
  addSourceOptions(command)
    .option('--run', 'also run the handler on the items, and create the report')
    .option('--yes', 'with --run: do not ask for confirmation; required without a terminal')
    .option('--remote', 'use the app at SLUICE_URL instead of the one in this folder')
    .addHelpText('after', HELP)
    .action(act(tryIt));
}

// The workloads and their libraries take their time to load, which no other command should pay for.
const tryIt: Action<[string, TryOptions]> = async (session, file, options) =>
  (await import('../../try/try-file.ts')).tryFile(session, file, options);
