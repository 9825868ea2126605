import type { JSX } from 'preact';
import { pauseQueue, resumeQueue } from '../api/queues.ts';
import type { QueueView } from '../api/types.ts';
import { formatClock, formatCompact, formatCount } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { PauseDialog } from '../ui/pause-dialog.tsx';
import { Tag } from '../ui/pieces.tsx';
import { Empty } from '../ui/states.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { PolicyDialog } from './policy-dialog.tsx';
import { QueueNotes } from './queue-notes.tsx';

type Open = { dialog: 'pause' | 'resume' | 'policy'; queue: string };

export interface QueueTableProps {
  queues: readonly QueueView[];
  onChange: () => void;
}

/** A row a queue, with what an operator can do about it. */
export function QueueTable({ queues, onChange }: QueueTableProps): JSX.Element {
  const { open, setOpen, close, act } = useDialog<Open>(onChange);
  if (queues.length === 0)
    return (
      <Empty icon="queues" title="No queues">
        <p>This app runs no workload.</p>
      </Empty>
    );
  return (
    <section class="panel flush">
      <table class="table stacking">
        <thead>
          <tr>
            <th>Queue</th>
            <th>Gate</th>
            <th class="number">Depth</th>
            <th class="number">Tasks active / total</th>
            <th class="number">Items/s</th>
            <th class="number">Missed wakes</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <QueueRow key={queue.queue} queue={queue} onOpen={(dialog) => setOpen({ dialog, queue: queue.queue })} />
          ))}
        </tbody>
      </table>
      {open?.dialog === 'pause' && (
        <PauseDialog
          title={`Pause ${open.queue}?`}
          onPause={(reason) => act(pauseQueue(open.queue, reason))}
          onClose={close}
        >
          No drain starts any more, and one that runs ends after its wave. Uploads are still accepted, and wait.
        </PauseDialog>
      )}
      {open?.dialog === 'policy' && <PolicyDialog queue={open.queue} onClose={close} onChange={onChange} />}
      {open?.dialog === 'resume' && (
        <Confirm
          title={`Resume ${open.queue}?`}
          action="Resume"
          onClose={close}
          onConfirm={() => act(resumeQueue(open.queue))}
        >
          <p>The pause ends and a drain starts if anything waits.</p>
        </Confirm>
      )}
    </section>
  );
}

function QueueRow({ queue, onOpen }: { queue: QueueView; onOpen: (dialog: Open['dialog']) => void }): JSX.Element {
  return (
    <tr>
      <td class="main-cell">
        <strong class="mono">{queue.queue}</strong>
        <small>
          {queue.kind === 'results' ? 'finished chunks' : `lane ${queue.lane}`} · pool {queue.pool}
        </small>
      </td>
      <td data-label="Gate">
        <div>
          <GateTag queue={queue} />
          <QueueNotes queue={queue} />
        </div>
      </td>
      <td class="number" data-label="Depth">
        {formatCount(queue.depth)}
      </td>
      <td class="number" data-label="Tasks active / total">
        <span>
          {formatCount(queue.active)} <span class="soft">/ {formatCompact(queue.total)}</span>
        </span>
      </td>
      <td class="number" data-label="Items/s">
        <Rate queue={queue} />
      </td>
      <td class="number" data-label="Missed wakes">
        {queue.missedWakes === 0 ? <span class="soft">0</span> : <b class="tone-warn">{queue.missedWakes}</b>}
      </td>
      <td class="actions">
        <Button icon="tune" look="quiet" size="small" onClick={() => onOpen('policy')}>
          Policy
        </Button>
        {queue.paused ? (
          <Button icon="play" size="small" onClick={() => onOpen('resume')}>
            Resume
          </Button>
        ) : (
          <Button icon="pause" look="quiet" size="small" onClick={() => onOpen('pause')}>
            Pause
          </Button>
        )}
      </td>
    </tr>
  );
}

/** An idle queue still knows how fast its last wave was. */
function Rate({ queue: { itemsPerSecond, status } }: { queue: QueueView }): JSX.Element {
  if (itemsPerSecond === 0) return <span class="soft">–</span>;
  const text = formatCount(itemsPerSecond);
  return status === 'draining' ? (
    <span>{text}</span>
  ) : (
    <span class="soft" title="In its last wave">
      {text}
    </span>
  );
}

function GateTag({ queue: { paused, startFailure, status, generation, dueAt } }: { queue: QueueView }): JSX.Element {
  if (paused) return <Tag tone="warn">Paused</Tag>;
  if (startFailure) return <Tag tone="warn">Not started</Tag>;
  if (status === 'draining') return <Tag tone="busy">Draining</Tag>;
  if (dueAt !== null && Date.parse(dueAt) > Date.now()) return <Tag tone="info">Until {formatClock(dueAt)}</Tag>;
  return <Tag tone="off">{generation === 0 ? 'Never used' : 'Idle'}</Tag>;
}
