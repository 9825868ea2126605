import { type Command, Option } from 'commander';
import { idempotencyKey } from '../../options.ts';
import type { Act, Action } from '../../session.ts';
import { addSourceOptions } from '../../upload/csv-flags.ts';
import { labelOption } from '../../upload/label-flag.ts';
import { WAYS } from '../../upload/send/ways.ts';
import type { SubmitOptions } from '../../upload/submit-files.ts';
import { timeoutOption } from '../../watch/wait.ts';

const HELP = `
The upload is compressed on the way, unless its name ends in .gz, .br or .zst. It always carries an idempotency key: made
from the content of the file, so that the same command gives the same batch however often it is run; random for standard
input, and printed before anything is sent. The app keeps keys for seven days. --again asks for another batch of the same
content.

An https address is read by the app, through its inbox: of a host that it allows, or of its own storage account. Its key is
random, too.

The cells of CSV are converted by the schema of the workload, as are those of a sheet of Excel, which goes as CSV. Parquet
goes as NDJSON with its own types.

Several files, or a pattern in quotes, are sent as one batch per file; one that fails does not stop the others. The exit
code is the first of 1, 2, 3, 4, 7, 9, 8, 6, 5 that one of them has.

What is over the limit of a request (200 MiB, compressed) goes through the inbox, when its storage is named by
--inbox-connection or SLUICE_INBOX_CONNECTION: a connection string, or the address of the blob service
(https://<account>.blob.core.windows.net), with a SAS behind it or by your Azure login.

Prints the batch; with --quiet its id alone, with --json all of it, and the key; of several files { "batches": [...] }.

Examples:
  sluice submit usage.csv --decimal comma --rename 'Konto Nr.=account'
  sluice submit usage.ndjson.gz --lane bulk --wait --timeout 600
  sluice submit 'march/*.xlsx' --sheet Data --label month=march
  sluice submit https://files.example/usage.csv.gz --wait
  produce | sluice submit - --idempotency-key usage-2026-09
  id=$(sluice submit usage.ndjson --quiet)`;

/** `sluice submit FILE...|-`. */
export function addSubmit(program: Command, act: Act): void {
  const command = program
    .command('submit')
    .summary('send files, or standard input, as batches')
    .description('Sends files of NDJSON, JSON arrays, CSV, Excel or Parquet as batches: accepted whole or not at all.')
    .argument('<file...>', 'files, patterns in quotes, or an https address; - is standard input')
    .option('--workload <name>', 'what is to be done with it; needed where there are several')
    .option('--lane <lane>', 'priority class; default as the workload decides')
    .addOption(labelOption('kept with the batch; may be repeated'))
    .option('--validate', 'check every item before anything is accepted')
    .option('--wait', 'wait until the batch has ended, as watch does')
    .addOption(timeoutOption())
    .addOption(new Option('--idempotency-key <key>', 'of your own, for one file').argParser(idempotencyKey))
    .option('--again', 'another batch, even of content that was sent before');
  addSourceOptions(command)
    .addOption(new Option('--via <way>', 'the inbox if need be, always, or never').choices(WAYS).default('auto'))
    .option('--inbox-connection <connection>', 'storage of the inbox')
    .addHelpText('after', HELP)
    .action(act(submit));
}

// The ways of an upload and what converts it take their time to load, which no other command should pay for.
const submit: Action<[string[], SubmitOptions]> = async (session, args, options) =>
  (await import('../../upload/submit-files.ts')).submitFiles(session, args, options);
