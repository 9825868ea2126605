import { type Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import type { ExitCode } from '../exit-codes.ts';
import { workloadOf } from '../names/workload.ts';
import { idempotencyKey } from '../options.ts';
import type { Act, Action, Session } from '../session.ts';
import { isAddress } from '../upload/address.ts';
import { addSourceOptions, csvOptionsOf } from '../upload/csv-flags.ts';
import { findFiles } from '../upload/files.ts';
import { openSource, type Source } from '../upload/input.ts';
import { labelOption } from '../upload/label-flag.ts';
import { sendAddress, sendOne } from '../upload/one.ts';
import { refuseValidate, requireInbox, type SendOptions, WAYS } from '../upload/send-batch.ts';
import { sendSeveral } from '../upload/several.ts';
import { timeoutOption } from '../watch/wait.ts';

const HELP = `
The upload is compressed on the way, unless its name ends in .gz, .br or .zst. It always carries an idempotency key: made
from the content of the file, so that the same command gives the same batch however often it is run; random for standard
input, and printed before anything is sent. The app keeps keys for seven days. --again asks for another batch of the same
content.

An https address is read by the app, through its inbox: of a host that it allows, or of its own storage account. Its key is
random, too.

The cells of CSV are converted by the schema of the workload, as are those of a sheet of Excel, which goes as CSV. Parquet
goes as NDJSON with its own types.

Several files, or a pattern in quotes, give a batch each; one that fails does not stop the others. The exit code is the
first of 1, 2, 3, 4, 7, 9, 8, 6, 5 that one of them has.

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

type SubmitOptions = Omit<SendOptions, 'workload'> & { workload?: string };

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

const submit: Action<[string[], SubmitOptions]> = async (session, args, options) => {
  if (args.some(isAddress)) return submitAddress(session, args, options);
  const files = await findFiles(args, session.io.folder);
  checkOptions(session, files, options);
  const sources: Source[] = [];
  for (const file of files) sources.push(await openSource(session, file, options));
  checkTables(sources, options);
  const send: SendOptions = { ...options, workload: await workloadOf(session, options.workload) };
  const [only, ...others] = sources;
  // A pattern is one of several files, however many it matches today.
  if (only !== undefined && others.length === 0 && args.length === 1 && args[0] === files[0])
    return sendOne(session, only, send);
  return sendSeveral(session, sources, send);
};

async function submitAddress(session: Session, args: readonly string[], options: SubmitOptions): Promise<ExitCode> {
  const [address = '', ...others] = args;
  if (others.length > 0) throw new UsageError('FILE: an address stands alone');
  return sendAddress(session, address, { ...options, workload: await workloadOf(session, options.workload) });
}

function checkOptions(session: Session, files: readonly string[], options: SubmitOptions): void {
  if (options.idempotencyKey !== undefined && files.length > 1)
    throw new UsageError(`--idempotency-key: expected one file, got ${files.length}; each has the key of its content`);
  if (options.via !== 'inbox') return;
  refuseValidate(options);
  requireInbox(session, options);
}

/** An option that has no effect on any file is a mistake. */
function checkTables(sources: readonly Source[], options: SubmitOptions): void {
  const tables = sources.filter(({ kind }) => kind.format === 'csv');
  if (csvOptionsOf(options) !== undefined && tables.length === 0)
    throw new UsageError('--delimiter, --decimal, --rename, --charset: expected a file of CSV or Excel');
  if (options.sheet !== undefined && !sources.some(({ isWorkbook }) => isWorkbook))
    throw new UsageError('--sheet: expected a file of Excel');
}
