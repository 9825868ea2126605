import type { Command } from 'commander';
import type { QueueView } from '../../../shared/http/queues/schemas.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action } from '../../session.ts';
import { formatCount, formatSeconds, formatTime } from '../../text/format.ts';
import { limitsText } from '../../text/limits-text.ts';
import type { Column } from '../../text/listing.ts';

const HELP = `
depth    messages, those that wait for a retry included; measured: when they were counted
batches  open batches that have work in the queue; items: those of them that are pending
active   dequeue tasks of the current wave; total: since the queue was made
limit    most tasks of a wave just now, lowered by throttling
state    what the queue does or waits for, then the limits of its workload
With --wide, of the last wave: the instances that ran it, CPU and event loop of the busiest one, the mean response time of
storage, and the age of the oldest work at its end.`;

/** `sluice queues`. */
export function addQueues(program: Command, act: Act): void {
  program
    .command('queues')
    .summary('every queue: depth, dequeue tasks, pause')
    .description('Shows every queue of the app.')
    .option('--fresh', 'measure all depths now, one operation per queue')
    .option('--wide', 'also show what the instances of the last wave measured')
    .addHelpText('after', HELP)
    .action(act(queues, ['table', 'json', 'csv']));
}

const queues: Action<[{ fresh?: boolean; wide?: boolean }]> = async (session, { fresh, wide }) => {
  const answer = await session.api.json<{ queues: QueueView[] }>({
    ...{ path: 'queues', audience: 'operator' },
    query: { fresh },
  });
  session.list(answer, { entries: answer.queues, columns: wide ? [...COLUMNS, ...LOAD, STATE] : [...COLUMNS, STATE] });
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

const TIME_CHARS = 'hh:mm:ss'.length;

/** An app of an older version answers without `depthAt` and `backlog`. */
const COLUMNS: readonly Column<QueueView>[] = [
  { field: 'queue', value: ({ queue }) => queue },
  { field: 'depth', value: ({ depth }) => depth },
  {
    field: 'depthAt',
    title: 'measured',
    value: ({ depthAt }) => depthAt ?? null,
    // Never long ago, so that the time of day is enough.
    shown: ({ depthAt }) => formatTime(depthAt ?? null).slice(-TIME_CHARS),
  },
  { field: 'batches', value: ({ backlog }) => backlog?.batches ?? null },
  { field: 'items', value: ({ backlog }) => backlog?.items ?? null },
  { field: 'active', value: ({ active }) => active },
  { field: 'total', value: ({ total }) => total },
  { field: 'itemsPerSecond', title: 'items/s', value: ({ itemsPerSecond }) => itemsPerSecond },
  {
    field: 'taskLimit',
    title: 'task limit',
    value: ({ taskLimit }) => taskLimit,
    shown: ({ taskLimit }) => (taskLimit === 0 ? '' : formatCount(taskLimit)),
  },
];

/** An app of an older version answers without `load`. */
const LOAD: readonly Column<QueueView>[] = [
  { field: 'instances', value: ({ load }) => load?.instances ?? null },
  { field: 'cpu', value: ({ load }) => load?.cpu ?? null, shown: ({ load }) => formatShare(load?.cpu) },
  {
    field: 'eventLoop',
    title: 'event loop',
    value: ({ load }) => load?.eventLoop ?? null,
    shown: ({ load }) => formatShare(load?.eventLoop),
  },
  {
    field: 'responseMs',
    title: 'response',
    value: ({ load }) => load?.responseMs ?? null,
    shown: ({ load }) => (load ? `${formatCount(load.responseMs)} ms` : ''),
  },
  {
    field: 'latencyMs',
    title: 'latency',
    value: ({ load }) => load?.latencyMs ?? null,
    // 0: of unknown age, as results are.
    shown: ({ load }) => (load && load.latencyMs > 0 ? formatSeconds(load.latencyMs) : ''),
  },
];

const formatShare = (share: number | undefined): string => (share === undefined ? '' : `${Math.round(share * 100)} %`);

const STATE: Column<QueueView> = { field: 'state', value: stateOf };
