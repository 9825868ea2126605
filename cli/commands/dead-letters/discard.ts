import { type Command, Option } from 'commander';
import type { z } from 'zod';
import type { discardAnswerSchema, discardRequestSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { idempotencyKey, wholeList } from '../../options.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action } from '../../session.ts';
import { formatNumber } from '../../text/format.ts';

type Request = z.input<typeof discardRequestSchema>;
type Answer = z.infer<typeof discardAnswerSchema>;

interface DiscardOptions {
  reason: string;
  cause?: string;
  items?: number[];
  idempotencyKey?: string;
}

const HELP = `
Without a choice all dead letters of the batch are discarded. They stay in their outcomes, but are counted as discarded and
no longer as dead, and nobody can redrive them any more. The batch gets a new revision, which keeps the reason, and a report
of that revision; without dead letters it is completed. Every discard carries an idempotency key, which is printed: with the
same key it is done once.

Examples:
  sluice discard <id> --reason 'orders of the load test'
  sluice discard <id> --reason 'billed by hand' --items 17,4710
  sluice discard <id> --reason 'closed customers' --cause 'rejected: Reject: customer "…" is closed'`;

/** `sluice discard ID`. */
export function addDiscard(program: Command, act: Act): void {
  program
    .command('discard')
    .summary('discard dead letters permanently')
    .description('Discards dead letters of a finished batch permanently: all, those of a cause, or named ones.')
    .argument('<id>', 'the batch')
    .requiredOption('--reason <text>', 'why, at most 200 characters; it is kept with the batch')
    .option('--cause <cause>', 'only those of this cause, as dead-letters shows it')
    .addOption(new Option('--items <indexes>', 'only these, by index').argParser(wholeList))
    .addOption(new Option('--idempotency-key <key>', 'default random').argParser(idempotencyKey))
    .addHelpText('after', HELP)
    .action(act(discard));
}

const discard: Action<[string, DiscardOptions]> = async (session, id, { reason, cause, items, ...options }) => {
  if (cause !== undefined && items !== undefined) throw new UsageError('--cause: does not go with --items');
  const key = options.idempotencyKey ?? session.io.randomId();
  const body: Request = {
    ...{ key, reason },
    ...(cause === undefined ? {} : { cause }),
    ...(items === undefined ? {} : { items }),
  };
  session.inform(`Idempotency key: ${key}`);
  const path = `batches/${encodeURIComponent(id)}/dead-letters/discard`;
  const answer = await session.api.json<Answer>({ path, method: 'POST', audience: 'operator', body });
  session.answer({ ...answer, idempotencyKey: key }, () => [
    `${formatNumber(answer.discarded, 'dead letter')} discarded, in revision ${answer.revision}`,
  ]);
  return EXIT.done;
};
