import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { isExactNumber, parseExact } from '../../../shared/contract/text/exact-json.ts';
import type { redriveAnswerSchema, redriveRequestSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { decimal, definedOnly, idempotencyKey, wholeList } from '../../options.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import type { Act, Action } from '../../session.ts';
import { formatCount, formatNumber } from '../../text/format.ts';
import { exitCodeOf } from '../../watch/until-finished.ts';
import { describeEnd, timeoutOption, type WaitOptions, waitFor } from '../../watch/wait.ts';
import { readCorrected } from './read-corrected.ts';

type Patch = NonNullable<Request['patch']>;
type Request = z.input<typeof redriveRequestSchema>;
type Answer = z.infer<typeof redriveAnswerSchema>;

interface RedriveOptions extends WaitOptions {
  report?: true;
  cause?: string;
  items?: number[];
  corrected?: string;
  patch?: Patch;
  rate?: number;
  idempotencyKey?: string;
  wait?: boolean;
}

const HELP = `
By default, all dead letters of the batch run again, with the version of the workload that is deployed now. The batch gets a
new revision and a new report of the whole batch. Every redrive has an idempotency key, which is printed: repeating the command with
the same key has no further effect.

--corrected reads NDJSON with "index" and "item" in each line, the format of sluice dead-letters --format ndjson.

--patch is a JSON Merge Patch (RFC 7396), in which null removes a field. It is applied to each item that runs again, except
those of --corrected.

--report is for a batch in the state reportFailed, after the workload was fixed and deployed: no item runs again, and the new
code creates the report from the existing results.

Examples:
  sluice redrive <id> --wait
  sluice redrive <id> --report --wait
  sluice redrive <id> --cause 'rejected: Reject: No tax rate is known for "…".'
  sluice redrive <id> --items 17,4710 --rate 100
  sluice redrive <id> --patch '{"currency":"USD","discount":null}' --wait`;

/** `sluice redrive ID`. */
export function addRedrive(program: Command, act: Act): void {
  program
    .command('redrive')
    .summary('run dead letters again, or create a failed report again')
    .description(
      'Runs dead letters of a finished batch again: all, those of a cause, or the given ones. Or creates its failed report again.',
    )
    .argument('<id>', 'the batch')
    .option('--report', 'create only the failed report again; no items run')
    .option('--cause <cause>', 'only those of this cause, as dead-letters shows it')
    .option('--items <indexes>', 'only the dead letters with these indexes', wholeList)
    .option('--corrected <file>', 'the dead letters in this file, with corrected items; - is standard input')
    .option('--patch <json>', 'apply this change to each item', patchOf)
    .option('--rate <n>', 'maximum number of items per second', decimal(0.01, 1e6))
    .option('--idempotency-key <key>', 'your own idempotency key; random by default', idempotencyKey)
    .option('--wait', 'wait until the batch is finished, as watch does')
    .addOption(timeoutOption())
    .addHelpText('after', HELP)
    .action(act(redrive));
}

const redrive: Action<[string, RedriveOptions]> = async (session, id, options) => {
  if (options.cause !== undefined && (options.items !== undefined || options.corrected !== undefined))
    throw new UsageError('--cause: cannot be combined with --items or --corrected');
  const { cause, items, corrected, patch, rate } = options;
  if (options.report && [cause, items, corrected, patch, rate].some((choice) => choice !== undefined))
    throw new UsageError('--report: cannot be combined with --cause, --items, --corrected, --patch or --rate');
  const key = options.idempotencyKey ?? session.io.randomId();
  const body = await requestOf(session.io, options, key);
  session.inform(`Idempotency key: ${key}`);
  const answer = await session.api.json('POST batches/{id}/dead-letters/redrive', { path: { id }, body });
  if (!options.wait) {
    session.answer({ ...answer, idempotencyKey: key }, () => describe(answer));
    return EXIT.done;
  }
  session.inform(...describe(answer));
  const batch = await waitFor(session, id, options);
  session.answer(batch, () => describeEnd(batch));
  return exitCodeOf(batch);
};

async function requestOf(
  io: Io,
  { report, cause, items, corrected, patch, rate }: RedriveOptions,
  key: string,
): Promise<Request> {
  const read = corrected === undefined ? undefined : await readCorrected(io, corrected);
  return { key, ...definedOnly({ report, cause, items, corrected: read, patch, ratePerSecond: rate }) };
}

function patchOf(text: string): Patch {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value))
    return value as Patch;
  throw new InvalidArgumentError('Expected a JSON object such as {"currency":"USD"}.');
}

const describe = ({ redriven, unreadable, revision }: Answer): string[] => [
  redriven === 0
    ? `The report is created again, in revision ${revision}`
    : `${formatNumber(redriven, 'item')} will run again, in revision ${revision}`,
  ...(unreadable > 0
    ? [`Unreadable items, which remain dead letters: ${formatCount(unreadable)}. Send them with --corrected.`]
    : []),
];
