import type { JSX } from 'preact';
import type { QueueDetails } from '../api/types.ts';
import { formatAgo, formatCompact, formatCount, formatNumberOf } from '../format.ts';
import { href } from '../routing.ts';
import { Stat } from '../ui/pieces.tsx';

/** Depth, backlog, tasks and rate of a queue. */
export function QueueFigures({ queue, nowMs }: { queue: QueueDetails; nowMs: number }): JSX.Element {
  const { status, active, itemsPerSecond, generation, total, depth, depthAt, backlog, workload } = queue;
  const isDraining = status === 'draining';
  return (
    <dl class="stats">
      <Stat
        name="Messages waiting"
        value={depthAt === null ? '–' : formatCount(depth)}
        note={depthAt === null ? 'not measured yet' : `measured ${formatAgo(depthAt, nowMs)}`}
      />
      <Stat
        name="Backlog"
        value={backlog === null ? '–' : formatCompact(backlog.items)}
        note={
          backlog === null ? (
            'finished chunks, no items'
          ) : (
            <a href={href('batches', { workload })}>
              {formatNumberOf(backlog.items, 'item')} in {formatNumberOf(backlog.batches, 'batch', 'batches')}
            </a>
          )
        }
      />
      <Stat
        name="Dequeue tasks"
        value={isDraining ? formatCount(active) : '–'}
        note={isDraining ? 'planned for the wave that runs' : 'no drain runs'}
      />
      <Stat
        name="Items per second"
        value={isDraining ? formatCount(itemsPerSecond) : '–'}
        note={isDraining ? 'in the last wave' : 'no drain runs'}
      />
      <Stat name="Drains so far" value={formatCount(generation)} note={`with ${formatNumberOf(total, 'task')}`} />
    </dl>
  );
}
