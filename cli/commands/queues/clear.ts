import type { Command } from 'commander';
import type { ClearedQueue } from '../../../shared/http/queues/schemas.ts';
import { askForName } from '../../confirm.ts';
import { nearQueue } from '../../names/queue-name.ts';
import { UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action } from '../../session.ts';
import { formatCount, formatNumber } from '../../text/format.ts';

const HELP = `
Before you clear a queue of items, pause it (sluice pause QUEUE) and wait until its drain has ended. The command cancels every
batch of its workload and lane that has chunks in the queue, including its chunks in other queues of the lane. Finished items
keep their results; the others count as cancelled. Batches that are accepted meanwhile are not cancelled. A poison queue does
not need to be paused.

Examples:
  sluice pause billing-bulk-0 && sluice clear billing-bulk-0 --confirm billing-bulk-0
  sluice clear billing-poison`;

/** `sluice clear QUEUE`. */
export function addClear(program: Command, act: Act): void {
  program
    .command('clear')
    .summary('cancel all work in a paused queue, and empty it')
    .description(
      'Cancels the batches that have work in a paused queue, and deletes its messages. A request takes at most one minute: repeat the command until nothing is left.',
    )
    .argument('<queue>', 'the queue, or the poison queue of a workload')
    .option('--confirm <name>', 'the name of the queue, as confirmation; required without a terminal')
    .addHelpText('after', HELP)
    .action(act(clear));
}

const clear: Action<[string, { confirm?: string }]> = async (session, queue, options) => {
  const question = `This cancels all work in ${queue} and deletes its messages. Type the name of the queue: `;
  const confirm = options.confirm ?? (await askForName(session, 'clear', question));
  if (confirm !== queue) {
    const message = `expected ${queue}, got ${confirm === '' ? 'nothing' : confirm}`;
    if (options.confirm !== undefined) throw new UsageError(`--confirm: ${message}. Nothing was cleared.`);
    session.inform(`Nothing was cleared: ${message}.`);
    return EXIT.failed;
  }
  const cleared = await nearQueue(session, queue, () =>
    session.api.json('POST queues/{queue}/clear', { path: { queue }, body: { confirm } }),
  );
  session.answer(cleared, () => describe(cleared));
  return EXIT.done;
};

const describe = ({ queue, batches, messages, left }: ClearedQueue): string[] => [
  `${queue}: ${formatNumber(messages, 'message')} deleted; batches cancelled: ${formatCount(batches)}`,
  ...(left === 0
    ? []
    : [
        `${formatNumber(left, 'message')} left: the time limit was reached, or new batches were accepted. Repeat the command to continue.`,
      ]),
];
