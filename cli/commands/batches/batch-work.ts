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
    .summary('cancel a batch; finished items keep their results')
    .description(
      'Cancels the waiting items, and stops the running items within about 15 s. Chunks that take less than 10 s may still start for 30 s. Finished items keep their results. Repeating the command is harmless.',
    )
    .argument('<id>', 'the batch')
    .option('--wait', 'wait until the batch is finished; then the counts are exact')
    .addOption(timeoutOption())
    .action(act(cancel));
  program
    .command('delete')
    .summary('delete a finished batch and all its data')
    .description('Deletes a finished batch: payload, results, reports, dead letters, idempotency key.')
    .argument('<id>', 'the batch')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .action(act(remove));
}

const cancel: Action<[string, WaitOptions & { wait?: boolean }]> = async (session, id, options) => {
  const first = await session.api.json('POST batches/{id}/cancel', { path: { id } });
  if (options.wait) {
    const batch = await waitFor(session, id, { ...options, first });
    session.answer(batch, () => describeEnd(batch));
  } else session.answer(first, () => [...describeCancellation(first), ...describeEnd(first)]);
  return EXIT.done;
};

/**
 * Describes what was cancelled. The counts of the batch itself change later, when the collector has processed the
 * cancellation.
 */
function describeCancellation({ id, state, cancellation: { ended, left } }: CancelAnswer): string[] {
  if (isFinished(state)) return [];
  const inWords = ({ chunks, items }: typeof ended): string =>
    `${formatNumber(chunks, 'chunk')} with ${formatNumber(items, 'item')}`;
  return [
    `Cancelled: ${inWords(ended)}`,
    ...(left.chunks > 0
      ? [`Still to be cancelled by the workers or the sweep: ${inWords(left)}. To follow it: sluice watch ${id}`]
      : []),
  ];
}

const remove: Action<[string, { yes?: boolean }]> = async (session, id, { yes }) => {
  if (!yes && !(await isConfirmed(session, 'delete', `Delete batch ${id} with all its data? [y/N] `))) {
    session.inform('Nothing was deleted.');
    return EXIT.failed;
  }
  const { status } = await session.api.call('DELETE batches/{id}', { path: { id } });
  const isGone = status === 204;
  session.answer({ batch: id, deleted: isGone }, () => [
    isGone ? `Deleted ${id}` : `Deleting ${id}; the batch is large, and the sweep deletes the rest.`,
  ]);
  return EXIT.done;
};
