import type { Command } from 'commander';
import type { QueueView } from '../../shared/http/queues/schemas.ts';
import { EXIT } from '../exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { formatCount, formatTable, formatTime } from '../text/format.ts';
import { limitsText } from '../text/limits-text.ts';

const HELP = `
depth    messages at the last measurement, those that wait for a retry included
active   dequeue tasks of the current wave; total: since the queue was made
limit    most tasks of a wave just now, lowered by throttling
state    what the queue does or waits for, then the limits of its workload`;

/** `sluice queues`. */
export function addQueues(program: Command, act: Act): void {
  program
    .command('queues')
    .summary('every queue: depth, dequeue tasks, pause')
    .description('Shows every queue of the app.')
    .option('--fresh', 'measure depths now, an operation a queue')
    .addHelpText('after', HELP)
    .action(act(queues));
}

const queues: Action<[{ fresh?: boolean }]> = async (session, { fresh }) => {
  const answer = await session.api.json<{ queues: QueueView[] }>({
    ...{ path: 'queues', audience: 'operator' },
    query: { fresh },
  });
  session.answer(answer, () => tableOf(answer.queues));
  return EXIT.done;
};

/** A queue in one line. */
export const describeQueue = (queue: QueueView): string =>
  `${queue.queue}: ${stateOf(queue)}, depth ${formatCount(queue.depth)}`;

/** An app of an older version answers without limits. */
const stateOf = (queue: QueueView): string =>
  [activityOf(queue), ...(queue.limits ? limitsText(queue.limits) : [])].join(', ');

function activityOf({ status, paused, startFailure, dueAt, limits }: QueueView): string {
  if (paused) return `paused by ${paused.by} since ${formatTime(paused.since)}: ${paused.reason}`;
  if (startFailure) return `cannot be started since ${formatTime(startFailure.since)}: ${startFailure.error}`;
  if (limits?.waiting)
    return `waits for a share since ${formatTime(limits.waiting.since)}, due ${formatTime(limits.waiting.until)}`;
  return dueAt === null ? status : `${status}, due ${formatTime(dueAt)}`;
}

const tableOf = (all: readonly QueueView[]): string[] =>
  formatTable([
    ['queue', 'depth', 'active', 'total', 'items/s', 'task limit', 'state'],
    ...all.map((queue) => [
      queue.queue,
      ...[queue.depth, queue.active, queue.total, queue.itemsPerSecond].map(formatCount),
      queue.taskLimit === 0 ? '' : formatCount(queue.taskLimit),
      stateOf(queue),
    ]),
  ]);
