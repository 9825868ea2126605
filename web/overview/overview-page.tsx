import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import type { Overview } from '../api/types.ts';
import { formatAgo, formatCount, formatNumberOf } from '../format.ts';
import { usePolled } from '../live/use-polled.ts';
import { ResumeQueueDialog } from '../queues/resume-queue-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { Freshness } from '../ui/freshness.tsx';
import { PageHead, Stat } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { BatchTroubles } from './batch-troubles.tsx';
import { DataTroubles } from './data-troubles.tsx';
import { QueueTroubles } from './queue-troubles.tsx';
import { SweepDialog } from './sweep-dialog.tsx';

type PausedQueue = Overview['pausedQueues'][number];
type Open = { dialog: 'sweep' } | { dialog: 'resume'; queue: PausedQueue };

/** What needs attention now, over all queues and batches; one request per refresh. */
export function OverviewPage(): JSX.Element {
  const polled = usePolled({
    key: ['overview'],
    load: (signal) => api.json('GET overview', { signal }),
    isMoving: ({ queues }) => queues.draining > 0,
  });
  const { open, setOpen, close, act } = useDialog<Open>(polled.refresh);
  return (
    <>
      <PageHead title="Overview" note="What needs attention now.">
        <Freshness polled={polled} />
        <Button icon="redo" disabled={polled.data === undefined} onClick={() => setOpen({ dialog: 'sweep' })}>
          Sweep now
        </Button>
      </PageHead>
      <Loaded polled={polled}>
        {(overview) => (
          <>
            <Totals overview={overview} />
            {overview.queues.read < overview.queues.batches && (
              <p class="action-result" role="status">
                Only the {formatCount(overview.queues.read)} open batches with the earliest deadline were read. Whether
                the others are at risk or paused is not known.
              </p>
            )}
            {isAllWell(overview) ? (
              <Empty icon="check" title="Nothing needs attention">
                <p>
                  No batch is late, at risk or paused, no queue is paused or stuck, and no item of the last 24 hours is
                  a dead letter.
                </p>
              </Empty>
            ) : (
              <>
                <BatchTroubles overview={overview} />
                <QueueTroubles
                  overview={overview}
                  onResume={(queue) => setOpen({ dialog: 'resume', queue })}
                  onSweep={() => setOpen({ dialog: 'sweep' })}
                />
                <DataTroubles overview={overview} />
              </>
            )}
            {open?.dialog === 'sweep' && (
              <SweepDialog queues={overview.queues} onClose={close} onChange={polled.refresh} />
            )}
            {open?.dialog === 'resume' && (
              <ResumeQueueDialog
                queue={open.queue.queue}
                pause={open.queue}
                waiting={open.queue}
                act={act}
                onClose={close}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

const isAllWell = (overview: Overview): boolean => {
  const { late, atRisk, pausedBatches, failedReports, suspect, deadLetters, inboxRejects } = overview;
  const { pausedQueues, missedWakes, poison, stuck } = overview;
  const counted = [late, atRisk, pausedBatches, failedReports, suspect, deadLetters, inboxRejects];
  const listed = [pausedQueues, missedWakes, poison, stuck];
  return counted.every(({ count }) => count === 0) && listed.every(({ length }) => length === 0);
};

function Totals({ overview: { queues, at } }: { overview: Overview }): JSX.Element {
  const { count, draining, paused, messages, measuredAt, batches, items } = queues;
  return (
    <dl class="stats">
      <Stat name="Open batches" value={formatCount(batches)} note={`${formatNumberOf(items, 'item')} pending`} />
      <Stat
        name="Messages waiting"
        value={measuredAt === null ? '–' : formatCount(messages)}
        note={measuredAt === null ? 'not all measured yet' : `measured ${formatAgo(measuredAt, Date.parse(at))}`}
      />
      <Stat name="Queues" value={formatCount(count)} note="all on one page" />
      <Stat name="Draining" value={formatCount(draining)} note={draining === 0 ? 'nothing runs' : 'at work now'} />
      <Stat name="Paused" value={formatCount(paused)} note="queues" tone={paused > 0 ? 'warn' : ''} />
    </dl>
  );
}
