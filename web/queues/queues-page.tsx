import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import type { QueueView } from '../api/types.ts';
import { formatCompact, formatCount, formatNumberOf } from '../format.ts';
import { queueHistory, recordQueues } from '../live/queue-history.ts';
import { usePolled } from '../live/use-polled.ts';
import { Freshness } from '../ui/freshness.tsx';
import { PageHead, Stat } from '../ui/pieces.tsx';
import { Loaded } from '../ui/states.tsx';
import { depthsAge, isMoving } from './depths.ts';
import { QueueCharts } from './queue-charts.tsx';
import { QueueTable } from './queue-table.tsx';

/** All queues, live; one request per refresh. */
export function QueuesPage(): JSX.Element {
  const polled = usePolled({
    key: ['queues'],
    load: async (signal) => {
      const { queues } = await api.json('GET queues', { signal });
      recordQueues(queues, Date.now());
      return { queues, history: queueHistory() };
    },
    isMoving: ({ queues }) => queues.some(isMoving),
  });
  return (
    <>
      <PageHead title="Queues" note="Waiting work, active drains, and what blocks them.">
        <Freshness polled={polled} />
      </PageHead>
      <Loaded polled={polled}>
        {({ queues, history }) => (
          <>
            <Totals queues={queues} />
            <QueueCharts queues={queues} history={history} />
            <QueueTable queues={queues} onChange={polled.refresh} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Totals({ queues }: { queues: readonly QueueView[] }): JSX.Element {
  const draining = queues.filter(({ status }) => status === 'draining');
  const paused = queues.filter((queue) => queue.paused !== null).length;
  const depths = queues.filter(({ depthAt }) => depthAt !== null);
  return (
    <dl class="stats">
      <Stat
        name="Messages waiting"
        value={depths.length === 0 ? '–' : formatCount(sumOf(depths, ({ depth }) => depth))}
        note={depthsAge(queues, Date.now())}
      />
      <Backlog queues={queues} />
      <Stat
        name="Dequeue tasks"
        value={draining.length === 0 ? '–' : formatCount(sumOf(draining, ({ active }) => active))}
        note={draining.length === 0 ? 'no drain runs' : 'planned for the waves that run'}
      />
      <Stat
        name="Items per second"
        value={draining.length === 0 ? '–' : formatCount(sumOf(draining, itemsPerSecond))}
        note={draining.length === 0 ? 'no drain runs' : `by ${formatNumberOf(draining.length, 'drain')}`}
      />
      <Stat
        name="Paused"
        value={paused}
        note={`of ${formatNumberOf(queues.length, 'queue')}`}
        tone={paused > 0 ? 'warn' : ''}
      />
    </dl>
  );
}

/** Collecting results must not count items a second time. */
const itemsPerSecond = ({ kind, itemsPerSecond: rate }: QueueView): number => (kind === 'items' ? rate : 0);

const sumOf = (queues: readonly QueueView[], value: (queue: QueueView) => number): number =>
  queues.reduce((sum, queue) => sum + value(queue), 0);

function Backlog({ queues }: { queues: readonly QueueView[] }): JSX.Element {
  const known = queues.flatMap(({ backlog }) => backlog ?? []);
  if (known.length === 0) return <Stat name="Backlog" value="–" note="not known" />;
  const items = known.reduce((sum, each) => sum + each.items, 0);
  const batches = known.reduce((sum, each) => sum + each.batches, 0);
  return (
    <Stat
      name="Backlog"
      value={formatCompact(items)}
      note={`${items === 1 ? 'item' : 'items'} in ${formatNumberOf(batches, 'open batch', 'open batches')}`}
    />
  );
}
