import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import type { QueueDetails } from '../api/types.ts';
import { ActionsOn } from '../audit/actions-on.tsx';
import { usePolled } from '../live/use-polled.ts';
import { isMoving } from '../queues/depths.ts';
import { QueueActions } from '../queues/queue-actions.tsx';
import { GateTag, placeOf } from '../queues/queue-columns.tsx';
import { type QueueDialog, QueueDialogs, useDrain } from '../queues/queue-dialogs.tsx';
import { LoadFigures } from '../queues/queue-notes.tsx';
import { href } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { Freshness } from '../ui/freshness.tsx';
import { Notes } from '../ui/notes.tsx';
import { PageHead, Panel } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { ClearDialog } from './clear-dialog.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { QueueFigures } from './queue-figures.tsx';
import { WaveCharts } from './wave-charts.tsx';
import { WaveTable } from './wave-table.tsx';

/**
 * A queue: its activity, the reasons, and the actions on it. One request per refresh, and one for the audit log when an
 * operator has acted.
 */
export function QueuePage({ queue: name }: { queue: string }): JSX.Element {
  const polled = usePolled({
    key: ['queue', name],
    load: (signal) => api.json('GET queues/{queue}', { path: { queue: name }, signal }),
    isMoving,
  });
  const { data: queue, error } = polled;
  return (
    <>
      <a class="back" href={href('queues')}>
        Queues
      </a>
      <PageHead
        title={<span class="mono">{name}</span>}
        tabTitle={name}
        note={queue && `${queue.workload} · ${placeOf(queue)}`}
      >
        <Freshness polled={polled} />
        {queue && <Actions queue={queue} onChange={polled.refresh} />}
      </PageHead>
      {error?.status === 404 ? (
        <Empty icon="search" title="No such queue">
          <p>No workload of this app has a queue of this name.</p>
          <a class="button primary normal" href={href('queues')}>
            All queues
          </a>
        </Empty>
      ) : (
        <Loaded polled={polled}>{(details) => <Details queue={details} onChange={polled.refresh} />}</Loaded>
      )}
    </>
  );
}

function Details({ queue, onChange }: { queue: QueueDetails; onChange: () => void }): JSX.Element {
  return (
    <>
      <QueueFigures queue={queue} nowMs={Date.now()} />
      <Panel title="Explanation" aside={<GateTag queue={queue} />}>
        <Notes notes={queue.notes} />
        <LoadFigures queue={queue} />
      </Panel>
      <WaveCharts waves={queue.waves} />
      <WaveTable waves={queue.waves} />
      <PolicyPanel queue={queue} onChange={onChange} />
      <ActionsOn target={queue.queue} changes={[queue.paused?.since, queue.policyVersion]} />
    </>
  );
}

function Actions({ queue, onChange }: { queue: QueueDetails; onChange: () => void }): JSX.Element {
  const { open, setOpen, close, act } = useDialog<QueueDialog | 'clear'>(onChange);
  const drain = useDrain(onChange);
  const canClear = queue.paused?.by === 'operator';
  return (
    <>
      <QueueActions
        queue={queue}
        draining={drain.queue !== ''}
        onDrain={() => void drain.run(queue.queue)}
        onOpen={setOpen}
      >
        {queue.kind === 'items' && (
          <Button
            icon="close"
            look="quiet"
            size="small"
            disabled={!canClear}
            reason={canClear ? undefined : 'Only a queue that an operator has paused can be cleared.'}
            onClick={() => setOpen('clear')}
          >
            Clear
          </Button>
        )}
      </QueueActions>
      {drain.result}
      {open === 'clear' && <ClearDialog queue={queue} onClose={close} onChange={onChange} />}
      {(open === 'pause' || open === 'resume') && (
        <QueueDialogs dialog={open} queue={queue} act={act} onClose={close} />
      )}
    </>
  );
}
