import { type Command, Option } from 'commander';
import { whole } from '../../options.ts';
import type { Act, Action } from '../../session.ts';
import type { TryOptions } from '../../try/try-file.ts';
import { addSourceOptions } from '../../upload/csv-flags.ts';

const HELP = `
Reads and validates the first items here, by the workloads of this checkout: no stack, no network, nothing is stored.
Prints what the file was read as, what does not fit by cause, the first valid item as the handler gets it, and the size and
price of the whole. A workload that this checkout does not have is tried by the app that SLUICE_URL names; --remote asks the
app in any case.

The cells of CSV are converted to what the schema of the workload asks for; a cell is text where it does not say.

--run also runs the handler on these items and makes the report. Its side effects are real: what it sends is sent. Waits
between attempts are left out, rateLimit and maxConcurrency are not kept, and the workload's containers are empty ones in
memory.

Ends with 0 if all items are valid, 5 if some are not or have become dead letters, 9 if none is valid, 1 if the file cannot
be read, 8 if the report failed.

Examples:
  sluice try orders.csv --workload orders
  sluice try orders.csv --workload orders --decimal comma --rename 'Order No=id' --run
  head -1000 orders.ndjson | sluice try - --workload orders --json`;

/** `sluice try FILE|-`. */
export function addTry(program: Command, act: Act): void {
  const command = program
    .command('try')
    .summary('check a file before it is sent, and run its first items here')
    .description('Checks the first items of a file against a workload, on this machine, and can run them.')
    .argument('<file>', 'the file; - is standard input')
    .option('--workload <name>', 'what is to be done with it; needed where there are several')
    .addOption(new Option('--items <n>', 'items to read').argParser(whole(1, 1_000_000)).default(1_000));
  addSourceOptions(command)
    .option('--run', 'also run the handler on the items, and make the report')
    .option('--yes', 'with --run: do not ask; needed where nobody can be asked')
    .option('--remote', 'ask the app, not this checkout')
    .addHelpText('after', HELP)
    .action(act(tryIt));
}

// The workloads and their libraries take their time to load, which no other command should pay for.
const tryIt: Action<[string, TryOptions]> = async (session, file, options) =>
  (await import('../../try/try-file.ts')).tryFile(session, file, options);
