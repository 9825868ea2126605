import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { formatAgo, formatClock, formatCount, formatNumberOf } from '../format.ts';
import { href, queueHref } from '../routing.ts';
import { Tag } from '../ui/pieces.tsx';
import { isKnown } from './depths.ts';
import { QueueActions, type QueueActionsProps } from './queue-actions.tsx';
import { LoadFigures, QueueNotes } from './queue-notes.tsx';

export interface QueueRowProps extends QueueActionsProps {
  nowMs: number;
}

/** The state of a queue's gate, and the actions of an operator. */
export function QueueRow({ queue, nowMs, draining, onDrain, onOpen }: QueueRowProps): JSX.Element {
  const isDraining = queue.status === 'draining';
  return (
    <tr>
      <td class="main-cell">
        <strong class="mono">
          <a href={queueHref(queue.queue)}>{queue.queue}</a>
        </strong>
        <small>{placeOf(queue)}</small>
      </td>
      <td data-label="Gate">
        <div>
          <GateTag queue={queue} />
          <QueueNotes queue={queue} />
          <LoadFigures queue={queue} />
        </div>
      </td>
      <td data-label="Waiting">
        <Waiting queue={queue} nowMs={nowMs} />
      </td>
      <td class="number" data-label="Tasks" title={isDraining ? 'Planned for the wave that runs' : undefined}>
        {isDraining ? formatCount(queue.active) : <span class="soft">–</span>}
      </td>
      <td class="number" data-label="Items/s">
        {isDraining ? formatCount(queue.itemsPerSecond) : <span class="soft">–</span>}
      </td>
      <td class="actions">
        <QueueActions queue={queue} draining={draining} onDrain={onDrain} onOpen={onOpen} />
      </td>
    </tr>
  );
}

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
