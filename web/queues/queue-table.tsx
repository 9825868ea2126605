import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { Empty } from '../ui/states.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { type QueueDialog, QueueDialogs, useDrain } from './queue-dialogs.tsx';
import { QueueRow } from './queue-row.tsx';

type Open = { dialog: QueueDialog; queue: QueueView };

export interface QueueTableProps {
  queues: readonly QueueView[];
  onChange: () => void;
}

/** One row per queue, with the urgent actions; the page of the queue has the others. */
export function QueueTable({ queues, onChange }: QueueTableProps): JSX.Element {
  const { open, setOpen, close, act } = useDialog<Open>(onChange);
  const drain = useDrain(onChange);
  const nowMs = Date.now();
  if (queues.length === 0)
    return (
      <Empty icon="queues" title="No queues">
        <p>This app runs no workload.</p>
      </Empty>
    );
  return (
    <>
      {drain.result}
      <section class="panel flush">
        <table class="table stacking many-columns queues">
          <thead>
            <tr>
              <th>Queue</th>
              <th>Gate</th>
              <th>Waiting</th>
              <th class="number">Tasks</th>
              <th class="number">Items/s</th>
              <th>
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <QueueRow
                key={queue.queue}
                queue={queue}
                nowMs={nowMs}
                draining={drain.queue === queue.queue}
                onDrain={() => void drain.run(queue.queue)}
                onOpen={(dialog) => setOpen({ dialog, queue })}
              />
            ))}
          </tbody>
        </table>
      </section>
      {open && <QueueDialogs {...open} act={act} onClose={close} />}
    </>
  );
}
