import type { Command } from 'commander';
import type { QueueView } from '../../shared/http/queues/schemas.ts';
import { EXIT } from '../exit-codes.ts';
import type { Act, Action } from '../session.ts';
import { formatCount, formatTime } from '../text/format.ts';
import { limitsText } from '../text/limits-text.ts';
import type { Column } from '../text/listing.ts';

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
    .action(act(queues, ['table', 'json', 'csv']));
}

const queues: Action<[{ fresh?: boolean }]> = async (session, { fresh }) => {
  const answer = await session.api.json<{ queues: QueueView[] }>({
    ...{ path: 'queues', audience: 'operator' },
    query: { fresh },
  });
  session.list(answer, { entries: answer.queues, columns: COLUMNS });
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

const COLUMNS: readonly Column<QueueView>[] = [
  { field: 'queue', value: ({ queue }) => queue },
  { field: 'depth', value: ({ depth }) => depth },
  { field: 'active', value: ({ active }) => active },
  { field: 'total', value: ({ total }) => total },
  { field: 'itemsPerSecond', title: 'items/s', value: ({ itemsPerSecond }) => itemsPerSecond },
  {
    field: 'taskLimit',
    title: 'task limit',
    value: ({ taskLimit }) => taskLimit,
    shown: ({ taskLimit }) => (taskLimit === 0 ? '' : formatCount(taskLimit)),
  },
  { field: 'state', value: stateOf },
];
