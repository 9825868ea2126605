import { type Command, Option } from 'commander';
import { idempotencyKey } from '../../options.ts';
import type { Act, Action } from '../../session.ts';
import { addSourceOptions } from '../../upload/csv-flags.ts';
import { labelOption } from '../../upload/label-flag.ts';
import { WAYS } from '../../upload/send/ways.ts';
import type { SubmitOptions } from '../../upload/submit-files.ts';
import { timeoutOption } from '../../watch/wait.ts';

const HELP = `
The upload is compressed while it is sent, unless its name ends in .gz, .br or .zst. Every upload has an idempotency key. For a
file, the key is computed from its content, so that repeating the command returns the same batch. For standard input, the key
is random and printed before the upload starts. The app keeps keys for seven days. --again submits the same content as another
batch.

The file at an address is downloaded by this command and sent on without being stored. The idempotency key is random.

An Excel sheet is sent as CSV; Parquet is sent as NDJSON with its own types.

Several files, or a pattern in quotes, are sent as one batch per file; a failed file does not stop the others. The exit code is
the first of 1, 2, 3, 4, 7, 9, 8, 6, 5 that applies to one of them.

An upload larger than the limit of a request (200 MiB, compressed) goes through the inbox if --inbox-connection or
SLUICE_INBOX_CONNECTION is set: a connection string, or the address of the blob service
(https://<account>.blob.core.windows.net), followed by a SAS or used with your Azure login.

Prints the batch; with --quiet only its id; with --json the whole batch and the key. For several files, --json prints
{ "batches": [...] }.

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
    .summary('submit files, or standard input, as batches')
    .description(
      'Submits NDJSON, JSON array, CSV, Excel or Parquet files as batches. A batch is accepted whole or not at all.',
    )
    .argument('<file...>', 'files, patterns in quotes, or addresses (https://…); - is standard input')
    .option('--workload <name>', 'the workload that processes the items; required if the app has several')
    .option('--lane <lane>', 'priority class; defaults to the one that the workload chooses')
    .addOption(labelOption('stored with the batch; may be repeated'))
    .option('--validate', 'check every item before anything is accepted')
    .option('--wait', 'wait until the batch is finished, as watch does')
    .addOption(timeoutOption())
    .option('--idempotency-key <key>', 'your own idempotency key, for a single file', idempotencyKey)
    .option('--again', 'create another batch, even if the same content was submitted before');
  addSourceOptions(command)
    .addOption(new Option('--via <way>', 'use the inbox if necessary, always, or never').choices(WAYS).default('auto'))
    .option('--inbox-connection <connection>', 'storage account of the inbox')
    .addHelpText('after', HELP)
    .action(act(submit));
}

// Imported lazily: the upload and conversion modules load slowly, and no other command needs them.
const submit: Action<[string[], SubmitOptions]> = async (session, args, options) =>
  (await import('../../upload/submit-files.ts')).submitFiles(session, args, options);
