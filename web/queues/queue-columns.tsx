import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { formatAgo, formatClock, formatCount, formatNumberOf } from '../format.ts';
import { href } from '../routing.ts';
import { QueueLink, Tag } from '../ui/pieces.tsx';
import { type Column, known } from '../ui/table.tsx';
import { isKnown } from './depths.ts';
import { LoadFigures, QueueNotes } from './queue-notes.tsx';

const isDraining = ({ status }: QueueView): boolean => status === 'draining';

/** The state of a queue's gate, and its work. */
export const QUEUE_COLUMNS: readonly Column<QueueView>[] = [
  {
    title: 'Queue',
    kind: 'main-cell',
    cell: (queue) => (
      <>
        <strong>
          <QueueLink queue={queue.queue} />
        </strong>
        <small>{placeOf(queue)}</small>
      </>
    ),
  },
  {
    title: 'Gate',
    cell: (queue) => (
      <div>
        <GateTag queue={queue} />
        <QueueNotes queue={queue} />
        <LoadFigures queue={queue} />
      </div>
    ),
  },
  { title: 'Waiting', cell: (queue) => <Waiting queue={queue} nowMs={Date.now()} /> },
  {
    title: 'Tasks',
    kind: 'number',
    hint: (queue) => (isDraining(queue) ? 'Planned for the wave that runs' : undefined),
    cell: (queue) => known(isDraining(queue) ? queue.active : null, formatCount),
  },
  {
    title: 'Items/s',
    kind: 'number',
    cell: (queue) => known(isDraining(queue) ? queue.itemsPerSecond : null, formatCount),
  },
];

/** Returns the content of a queue, and the pool that drains it. */
export const placeOf = ({ kind, lane, pool }: QueueView): string =>
  `${kind === 'results' ? 'finished chunks' : `lane ${lane}`} · pool ${pool}`;

/** The state of a queue's gate. `Paused` has precedence over all other states. */
export function GateTag({ queue }: { queue: QueueView }): JSX.Element {
  const { paused, startFailure, status, generation, dueAt } = queue;
  if (paused) return <Tag tone="warn">Paused</Tag>;
  if (startFailure) return <Tag tone="bad">Not started</Tag>;
  if (status === 'draining') return <Tag tone="busy">Draining</Tag>;
  if (dueAt !== null && Date.parse(dueAt) > Date.now()) return <Tag tone="info">Until {formatClock(dueAt)}</Tag>;
  return <Tag tone="off">{generation === 0 ? 'Never used' : 'Idle'}</Tag>;
}

interface WaitingProps {
  queue: Pick<QueueView, 'depth' | 'depthAt' | 'backlog' | 'workload'>;
  nowMs: number;
}

/** The messages in a queue, with the age of their measurement, and the batches and items that they stand for. */
const Waiting = ({ queue: { depth, depthAt, backlog, workload }, nowMs }: WaitingProps): JSX.Element => (
  <div class="waiting">
    {depthAt === null ? <span class="soft">not measured yet</span> : formatNumberOf(depth, 'message')}
    {depthAt !== null && (
      <small class={isKnown(depthAt, nowMs) ? '' : 'tone-warn'}>measured {formatAgo(depthAt, nowMs)}</small>
    )}
    {backlog !== null && (
      <small>
        {backlog.batches === 0 ? (
          'no open batch'
        ) : (
          <a href={href('batches', { workload })}>
            {formatNumberOf(backlog.items, 'item')} in {formatNumberOf(backlog.batches, 'batch', 'batches')}
          </a>
        )}
      </small>
    )}
  </div>
);
