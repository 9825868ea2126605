import { type Command, Option } from 'commander';
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { idempotencyKey } from '../options.ts';
import type { Act, Action, Session } from '../session.ts';
import { formatCount, formatNumber, formatTime } from '../text/format.ts';
import { openInput } from '../upload/input.ts';
import { ENCODINGS, FORMATS } from '../upload/kind.ts';
import { type SubmitOptions, type Submitted, sendBatch, WAYS } from '../upload/send-batch.ts';
import { endingOf } from '../watch/until-finished.ts';
import { describeEnd, timeoutOption, waitFor } from '../watch/wait.ts';

const HELP = `
The upload is compressed on the way, unless its name ends in .gz, .br or .zst. It always carries an idempotency key: made
from the content of the file, so that the same command gives the same batch however often it is run; random for standard
input, and printed before anything is sent. The app keeps keys for seven days. --again asks for another batch of the same
content.

What is over the limit of a request (200 MiB, compressed) goes through the inbox, when its storage is named by
--inbox-connection or SLUICE_INBOX_CONNECTION: a connection string, or the address of the blob service
(https://<account>.blob.core.windows.net), with a SAS behind it or by your Azure login.

Prints the batch; with --quiet its id alone, with --json all of it, and the key.

Examples:
  sluice submit usage.csv
  sluice submit usage.ndjson.gz --lane bulk --wait --timeout 600
  produce | sluice submit - --idempotency-key usage-2026-09
  id=$(sluice submit usage.ndjson --quiet)`;

/** `sluice submit FILE|-`. */
export function addSubmit(program: Command, act: Act): void {
  program
    .command('submit')
    .summary('send a file, or standard input, as a batch')
    .description('Sends a file of NDJSON, a JSON array or CSV as a batch: accepted whole or not at all.')
    .argument('<file>', 'the file; - is standard input')
    .option('--workload <name>', 'what is to be done with it', 'billing')
    .option('--lane <lane>', 'priority class; default as the workload decides')
    .option('--wait', 'wait until the batch has ended, as watch does')
    .addOption(timeoutOption())
    .addOption(new Option('--idempotency-key <key>', 'of your own').argParser(idempotencyKey))
    .option('--again', 'another batch, even of content that was sent before')
    .addOption(new Option('--format <format>', 'default by the name, - is ndjson').choices(FORMATS))
    .addOption(new Option('--encoding <name>', 'how it lies compressed; default by the name').choices(ENCODINGS))
    .addOption(new Option('--via <way>', 'the inbox if need be, always, or never').choices(WAYS).default('auto'))
    .option('--inbox-connection <connection>', 'storage of the inbox')
    .addHelpText('after', HELP)
    .action(act(submit));
}

const submit: Action<[string, SubmitOptions]> = async (session, file, options) => {
  const input = await openInput(session, file, options);
  session.inform(`Idempotency key: ${input.key}`);
  const sent = await sendBatch(session, input, options);
  if (sent.batch === undefined) {
    session.answer({ inbox: sent.inbox, idempotencyKey: input.key }, () => [`In the inbox as ${sent.inbox}.`]);
    session.inform('The app takes it at its next look there; --wait waits for that.');
    return EXIT.done;
  }
  if (session.settings.quiet && !session.settings.json) session.print(sent.batch.id);
  else if (!session.settings.json || options.wait) sayAccepted(session, sent.batch, sent.isRepeat);
  return options.wait ? waitToEnd(session, sent.batch, input.key, options) : printAccepted(session, sent, input.key);
};

function sayAccepted({ settings, print, inform }: Session, batch: BatchView, isRepeat: boolean): void {
  const { id, chunks, counts, lane, times, state } = batch;
  const say = settings.json ? inform : print;
  if (isRepeat)
    say(
      `Accepted before, at ${formatTime(times.accepted)} UTC, as batch ${id}: ${state}. Nothing is done twice; --again submits it as a new batch.`,
    );
  else
    say(
      `Accepted as batch ${id}: ${formatCount(counts.accepted)} items, ${formatNumber(chunks.total, 'chunk')}, lane ${lane}`,
    );
}

function printAccepted({ answer }: Session, { batch, isRepeat }: Submitted, key: string): ExitCode {
  answer({ ...batch, idempotencyKey: key, isRepeat }, () => []);
  return EXIT.done;
}

async function waitToEnd(session: Session, first: BatchView, key: string, options: SubmitOptions): Promise<ExitCode> {
  const batch = await waitFor(session, first.id, { ...options, first });
  session.answer({ ...batch, idempotencyKey: key }, () => (session.settings.quiet ? [] : describeEnd(batch)));
  return endingOf(batch);
}
