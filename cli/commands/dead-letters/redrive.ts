import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { isExactNumber, parseExact } from '../../../shared/contract/text/exact-json.ts';
import type { redriveAnswerSchema, redriveRequestSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { decimal, idempotencyKey, wholeList } from '../../options.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import type { Act, Action } from '../../session.ts';
import { formatCount, formatNumber } from '../../text/format.ts';
import { endingOf } from '../../watch/until-finished.ts';
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
Without a choice all dead letters of the batch run again, with the version of the workload that is deployed now. The batch
gets a new revision and a report of that revision. Every redrive carries an idempotency key, which is printed: with the
same key it is done once.

--corrected reads NDJSON with "index" and "item" in each line, as sluice dead-letters --format ndjson writes it.

--patch changes the same fields in each item that runs again, but not in those of --corrected: a JSON Merge Patch (RFC 7396),
in which null removes a field.

--report is for a batch in the state reportFailed, after the workload was fixed and deployed: no item runs again, and the
new code makes the report of the results that are there.

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
    .summary('run dead letters again, or make a failed report again')
    .description(
      'Runs dead letters of a batch that has ended again: all, those of a cause, or named ones. Or makes its report again.',
    )
    .argument('<id>', 'the batch')
    .option('--report', 'no items: the report alone, which failed')
    .option('--cause <cause>', 'only those of this cause, as dead-letters shows it')
    .addOption(new Option('--items <indexes>', 'only these, by index').argParser(wholeList))
    .option('--corrected <file>', 'these, with another item; - is standard input')
    .addOption(new Option('--patch <json>', 'the same change in each item').argParser(patchOf))
    .addOption(new Option('--rate <n>', 'most items per second').argParser(decimal(0.01, 1e6)))
    .addOption(new Option('--idempotency-key <key>', 'default random').argParser(idempotencyKey))
    .option('--wait', 'wait until the batch has ended, as watch does')
    .addOption(timeoutOption())
    .addHelpText('after', HELP)
    .action(act(redrive));
}

const redrive: Action<[string, RedriveOptions]> = async (session, id, options) => {
  if (options.cause !== undefined && (options.items !== undefined || options.corrected !== undefined))
    throw new UsageError('--cause: goes with neither --items nor --corrected');
  const { cause, items, corrected, patch, rate } = options;
  if (options.report && [cause, items, corrected, patch, rate].some((choice) => choice !== undefined))
    throw new UsageError('--report: goes with none of --cause, --items, --corrected, --patch and --rate');
  const key = options.idempotencyKey ?? session.io.randomId();
  const body = await requestOf(session.io, options, key);
  session.inform(`Idempotency key: ${key}`);
  const path = `batches/${encodeURIComponent(id)}/dead-letters/redrive`;
  const answer = await session.api.json<Answer>({ path, method: 'POST', audience: 'operator', body });
  if (!options.wait) {
    session.answer({ ...answer, idempotencyKey: key }, () => describe(answer));
    return EXIT.done;
  }
  session.inform(...describe(answer));
  const batch = await waitFor(session, id, options);
  session.answer(batch, () => describeEnd(batch));
  return endingOf(batch);
};

async function requestOf(
  io: Io,
  { report, cause, items, corrected, patch, rate }: RedriveOptions,
  key: string,
): Promise<Request> {
  return {
    key,
    ...(report === undefined ? {} : { report }),
    ...(cause === undefined ? {} : { cause }),
    ...(items === undefined ? {} : { items }),
    ...(corrected === undefined ? {} : { corrected: await readCorrected(io, corrected) }),
    ...(patch === undefined ? {} : { patch }),
    ...(rate === undefined ? {} : { ratePerSecond: rate }),
  };
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
    ? `The report is made again, in revision ${revision}`
    : `${formatNumber(redriven, 'item')} to run again, in revision ${revision}`,
  ...(unreadable > 0
    ? [`${formatCount(unreadable)} stay dead letters: their item cannot be read. Send them with --corrected.`]
    : []),
];
