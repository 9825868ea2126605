import type { Command } from 'commander';
import type { z } from 'zod';
import type { discardRequestSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { definedOnly, idempotencyKey, wholeList } from '../../options.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action } from '../../session.ts';
import { formatNumber } from '../../text/format.ts';

type Request = z.input<typeof discardRequestSchema>;

interface DiscardOptions {
  reason: string;
  cause?: string;
  items?: number[];
  idempotencyKey?: string;
}

const HELP = `
Without --cause or --items, all dead letters of the batch are discarded. They remain in their outcomes, but count as discarded
instead of dead, and can no longer be redriven. The batch gets a new revision, which contains the reason, and a report of that
revision. If no dead letters remain, the batch is completed. Every discard has an idempotency key, which is printed: repeating
the command with the same key has no further effect.

Examples:
  sluice discard <id> --reason 'orders of the load test'
  sluice discard <id> --reason 'billed manually' --items 17,4710
  sluice discard <id> --reason 'closed customers' --cause 'rejected: Reject: customer "…" is closed'`;

/** `sluice discard ID`. */
export function addDiscard(program: Command, act: Act): void {
  program
    .command('discard')
    .summary('discard dead letters permanently')
    .description('Discards dead letters of a finished batch permanently: all, those of a cause, or the given ones.')
    .argument('<id>', 'the batch')
    .requiredOption('--reason <text>', 'the reason, at most 200 characters; stored with the batch')
    .option('--cause <cause>', 'only those of this cause, as dead-letters shows it')
    .option('--items <indexes>', 'only the dead letters with these indexes', wholeList)
    .option('--idempotency-key <key>', 'your own idempotency key; random by default', idempotencyKey)
    .addHelpText('after', HELP)
    .action(act(discard));
}

const discard: Action<[string, DiscardOptions]> = async (session, id, { reason, cause, items, ...options }) => {
  if (cause !== undefined && items !== undefined) throw new UsageError('--cause: cannot be combined with --items');
  const key = options.idempotencyKey ?? session.io.randomId();
  const body: Request = { key, reason, ...definedOnly({ cause, items }) };
  session.inform(`Idempotency key: ${key}`);
  const answer = await session.api.json('POST batches/{id}/dead-letters/discard', { path: { id }, body });
  session.answer({ ...answer, idempotencyKey: key }, () => [
    `${formatNumber(answer.discarded, 'dead letter')} discarded, in revision ${answer.revision}`,
  ]);
  return EXIT.done;
};
