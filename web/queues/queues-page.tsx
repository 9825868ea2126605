import type { JSX } from 'preact';
import { fetchQueues, measureQueues } from '../api/queues.ts';
import type { QueueView } from '../api/types.ts';
import { formatCompact, formatCount } from '../format.ts';
import { queueHistory, recordQueues } from '../live/queue-history.ts';
import { usePoll } from '../live/use-poll.ts';
import { PageHead, Stat } from '../ui/pieces.tsx';
import { Loaded } from '../ui/states.tsx';
import { QueueCharts } from './queue-charts.tsx';
import { QueueTable } from './queue-table.tsx';

const EVERY_MS = 3_000;

/** Gates know depths from the end of each wave; while drains run, depths between are worth an operation a queue. */
async function look(signal: AbortSignal): Promise<QueueView[]> {
  const before = queueHistory().at(-1)?.queues?.values() ?? [];
  const drains = [...before].some(({ status }) => status === 'draining');
  return drains ? measureQueues({ signal }) : fetchQueues({ signal });
}

/** All queues, live: one request each three seconds while the page can be seen, which is a query or two when all is idle. */
export function QueuesPage(): JSX.Element {
  const polled = usePoll({
    subject: 'queues',
    everyMs: () => EVERY_MS,
    load: async (signal) => {
      const queues = await look(signal);
      recordQueues(queues, Date.now());
      return { queues, history: queueHistory() };
    },
  });
  return (
    <>
      <PageHead title="Queues" note="What waits, what works on it, and what holds it up." />
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
  const sum = (field: 'depth' | 'active' | 'total' | 'missedWakes'): number =>
    queues.reduce((total, queue) => total + queue[field], 0);
  const draining = queues.filter(({ status }) => status === 'draining');
  const rate = draining.reduce((total, { kind, itemsPerSecond }) => total + (kind === 'items' ? itemsPerSecond : 0), 0);
  const paused = queues.filter((queue) => queue.paused !== null).length;
  const missed = sum('missedWakes');
  return (
    <dl class="stats">
      <Stat name="Messages waiting" value={formatCount(sum('depth'))} note="at the last measurement" />
      <Stat
        name="Dequeue tasks"
        value={formatCount(sum('active'))}
        note={`${formatCompact(sum('total'))} started in all`}
      />
      <Stat name="Items a second" value={formatCount(rate)} note={drainsText(draining.length)} />
      <Stat name="Paused" value={paused} note={`of ${queues.length} queues`} tone={paused > 0 ? 'warn' : ''} />
      <Stat name="Missed wakes" value={missed} note="found by the sweep" tone={missed > 0 ? 'warn' : ''} />
    </dl>
  );
}

const drainsText = (count: number): string =>
  count === 0 ? 'no drain runs' : count === 1 ? 'one drain' : `${count} drains`;
