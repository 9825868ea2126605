import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { BatchView } from '../../shared/http/schemas.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Act, Action, Session } from '../session.ts';
import { describeEnd, timeoutOption, type WaitOptions, waitFor } from '../watch/wait.ts';

/** `sluice cancel ID` and `sluice delete ID`. */
export function addBatchWork(program: Command, act: Act): void {
  program
    .command('cancel')
    .summary('keep what has run, cancel the rest')
    .description('Cancels what has not run yet. What has run stays, with its results. Repeating it is harmless.')
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
  const first = await session.api.json<BatchView>({ path, method: 'POST', audience: 'operator' });
  const batch = options.wait ? await waitFor(session, id, { ...options, first }) : first;
  session.answer(batch, () => describeEnd(batch));
  return EXIT.done;
};

const remove: Action<[string, { yes?: boolean }]> = async (session, id, { yes }) => {
  if (!yes && !(await isConfirmed(session, `Delete batch ${id} with all its data? [y/N] `))) {
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

async function isConfirmed({ io }: Session, question: string): Promise<boolean> {
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new UsageError('delete: expected --yes, as there is no terminal to ask at');
  const terminal = createInterface({ input: io.stdin, output: io.stderr as unknown as Writable });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
