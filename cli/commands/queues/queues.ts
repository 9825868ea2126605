import type { Command } from 'commander';
import type { QueueView } from '../../../shared/http/queues/schemas.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action } from '../../session.ts';
import { formatCount, formatSeconds, formatTime } from '../../text/format.ts';
import type { Column } from '../../text/listing.ts';

const HELP = `
depth       number of messages, including those that wait for a retry; measured: when they were counted
batches     open batches with work in the queue; items: their pending items
active      dequeue tasks of the current wave; total: since the queue was created
task limit  current maximum number of tasks per wave, lowered by throttling
state       what the queue does or waits for, and the limits of its workload
--wide adds values of the last wave: the instances that ran it, CPU and event loop of the busiest one, the mean response time of
storage, and the age of the oldest work at the end of the wave.`;

/** `sluice queues`. */
export function addQueues(program: Command, act: Act): void {
  program
    .command('queues')
    .summary('list the queues with depth, dequeue tasks and state')
    .description('Lists all queues of the app.')
    .option('--fresh', 'measure all depths now, one operation per queue')
    .option('--wide', 'also show the load of the instances in the last wave')
    .addHelpText('after', HELP)
    .action(act(queues, ['table', 'json', 'csv']));
}

const queues: Action<[{ fresh?: boolean; wide?: boolean }]> = async (session, { fresh, wide }) => {
  const answer = await session.api.json('GET queues', { query: { fresh } });
  session.list(answer, { entries: answer.queues, columns: wide ? [...COLUMNS, ...LOAD, STATE] : [...COLUMNS, STATE] });
  return EXIT.done;
};

/** Describes a queue in one line. */
export const describeQueue = (queue: QueueView): string =>
  `${queue.queue}: ${stateOf(queue)}, depth ${formatCount(queue.depth)}`;

/** A pause says more than that the queue is idle. An app of an older version has no notes. */
const stateOf = ({ status, paused, notes = [] }: QueueView): string =>
  [...(paused === null ? [status] : []), ...notes.map(({ text }) => text)].join('; ');

const TIME_CHARS = 'hh:mm:ss'.length;

/** `depthAt` and `backlog` are absent in the answer of an app of an older version. */
const COLUMNS: readonly Column<QueueView>[] = [
  { field: 'queue' },
  { field: 'depth' },
  {
    field: 'depthAt',
    title: 'measured',
    // The time of day is enough: depths are measured often.
    shown: ({ depthAt }) => formatTime(depthAt ?? null).slice(-TIME_CHARS),
  },
  { field: 'batches', value: ({ backlog }) => backlog?.batches ?? null },
  { field: 'items', value: ({ backlog }) => backlog?.items ?? null },
  { field: 'active' },
  { field: 'total' },
  { field: 'itemsPerSecond', title: 'items/s' },
  {
    field: 'taskLimit',
    title: 'task limit',
    shown: ({ taskLimit }) => (taskLimit === 0 ? '' : formatCount(taskLimit)),
  },
];

/** `load` is absent in the answer of an app of an older version. */
const LOAD: readonly Column<QueueView>[] = [
  { field: 'instances', value: ({ load }) => load?.instances ?? null },
  { field: 'cpu', value: ({ load }) => load?.cpu ?? null, shown: ({ load }) => formatFraction(load?.cpu) },
  {
    field: 'eventLoop',
    title: 'event loop',
    value: ({ load }) => load?.eventLoop ?? null,
    shown: ({ load }) => formatFraction(load?.eventLoop),
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
    // 0 means an unknown age, as in result queues.
    shown: ({ load }) => (load && load.latencyMs > 0 ? formatSeconds(load.latencyMs) : ''),
  },
];

const formatFraction = (fraction: number | undefined): string =>
  fraction === undefined ? '' : `${Math.round(fraction * 100)} %`;

const STATE: Column<QueueView> = { field: 'state', value: stateOf };
