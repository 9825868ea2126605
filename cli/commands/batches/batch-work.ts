import type { Command } from 'commander';
import { isFinished } from '../../../shared/batches/batch-row.ts';
import type { CancelAnswer } from '../../../shared/http/batches/schemas.ts';
import { isConfirmed } from '../../confirm.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action } from '../../session.ts';
import { formatNumber } from '../../text/format.ts';
import { describeEnd, timeoutOption, type WaitOptions, waitFor } from '../../watch/wait.ts';

/** `sluice cancel ID` and `sluice delete ID`. */
export function addBatchWork(program: Command, act: Act): void {
  program
    .command('cancel')
    .summary('stop what runs, keep what has finished, cancel the rest')
    .description(
      'Stops the items that run within about 15 s, and cancels those that wait; chunks of less than 10 s may still begin for 30 s. What has finished stays, with its results. Repeating it is harmless.',
    )
    .argument('<id>', 'the batch')
    .option('--wait', 'wait until the batch has ended; then the counts are exact')
    .addOption(timeoutOption())
    .action(act(cancel));
  program
    .command('delete')
    .summary('delete a batch that has ended, with all its data')
    .description('Deletes a batch that has ended: payload, results, reports, dead letters, idempotency key.')
    .argument('<id>', 'the batch')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .action(act(remove));
}

const cancel: Action<[string, WaitOptions & { wait?: boolean }]> = async (session, id, options) => {
  const path = `batches/${encodeURIComponent(id)}/cancel`;
  const first = await session.api.json<CancelAnswer>({ path, method: 'POST', audience: 'operator' });
  if (options.wait) {
    const batch = await waitFor(session, id, { ...options, first });
    session.answer(batch, () => describeEnd(batch));
  } else session.answer(first, () => [...describeCancellation(first), ...describeEnd(first)]);
  return EXIT.done;
};

/** The counts of the batch change only when this has been collected. */
function describeCancellation({ id, state, cancellation: { ended, left } }: CancelAnswer): string[] {
  if (isFinished(state)) return [];
  const inWords = ({ chunks, items }: typeof ended): string =>
    `${formatNumber(chunks, 'chunk')} with ${formatNumber(items, 'item')}`;
  return [
    `Ended at once: ${inWords(ended)}`,
    ...(left.chunks > 0
      ? [`The workers or the sweep end the rest: ${inWords(left)}. Follow it: sluice watch ${id}`]
      : []),
  ];
}

const remove: Action<[string, { yes?: boolean }]> = async (session, id, { yes }) => {
  if (!yes && !(await isConfirmed(session, 'delete', `Delete batch ${id} with all its data? [y/N] `))) {
    session.inform('Nothing was deleted.');
    return EXIT.failed;
  }
  const path = `batches/${encodeURIComponent(id)}`;
  const { status } = await session.api.call({ path, method: 'DELETE', audience: 'operator' });
  const isGone = status === 204;
  session.answer({ batch: id, deleted: isGone }, () => [
    isGone ? `Deleted ${id}` : `Deleting ${id}; it is large, the sweep goes on with it.`,
  ]);
  return EXIT.done;
};
