import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { Empty } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { QueueActions } from './queue-actions.tsx';
import { QUEUE_COLUMNS } from './queue-columns.tsx';
import { type QueueDialog, QueueDialogs, useDrain } from './queue-dialogs.tsx';

type Open = { dialog: QueueDialog; queue: QueueView };

export interface QueueTableProps {
  queues: readonly QueueView[];
  onChange: () => void;
}

/** One row per queue, with the urgent actions; the page of the queue has the others. */
export function QueueTable({ queues, onChange }: QueueTableProps): JSX.Element {
  const { open, setOpen, close, act } = useDialog<Open>(onChange);
  const drain = useDrain(onChange);
  const actions: Column<QueueView> = {
    title: 'Actions',
    kind: 'actions',
    cell: (queue) => (
      <QueueActions
        queue={queue}
        draining={drain.queue === queue.queue}
        onDrain={() => void drain.run(queue.queue)}
        onOpen={(dialog) => setOpen({ dialog, queue })}
      />
    ),
  };
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
        <Table
          look="many-columns queues"
          columns={[...QUEUE_COLUMNS, actions]}
          rows={queues}
          keyOf={({ queue }) => queue}
        />
      </section>
      {open && <QueueDialogs {...open} act={act} onClose={close} />}
    </>
  );
}
