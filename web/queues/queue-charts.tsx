import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { QueueView } from '../api/types.ts';
import type { Series } from '../charts/chart-options.ts';
import { SERIES } from '../charts/palette.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { formatCompact, formatCount } from '../format.ts';
import type { Sample } from '../live/queue-history.ts';
import { areKnownEmpty } from './depths.ts';

type Field = 'depth' | 'active';

export interface QueueChartsProps {
  queues: readonly QueueView[];
  history: readonly Sample[];
}

/** Depth and tasks over the last minutes, one line per queue that had any. */
export function QueueCharts({ queues, history }: QueueChartsProps): JSX.Element {
  const times = useMemo(() => history.map(({ atSeconds }) => atSeconds), [history]);
  const lines = useMemo(
    () => ({ depth: seriesOf(queues, history, 'depth'), active: seriesOf(queues, history, 'active') }),
    [history],
  );
  const drains = queues.some(({ status }) => status === 'draining');
  return (
    <div class="charts">
      <TimeChart
        title="Queue depth"
        times={times}
        series={lines.depth}
        format={formatCompact}
        quiet={areKnownEmpty(queues, Date.now()) ? 'All queues are empty' : 'Some depths are not known at present'}
      />
      <TimeChart
        title="Active dequeue tasks"
        times={times}
        series={lines.active}
        format={formatCount}
        quiet={drains ? 'The first wave is being planned' : 'Nothing polls: no drain runs'}
      />
    </div>
  );
}

/** The busiest queues have a line each; the others share the last one. A queue has the same colour in both charts. */
function seriesOf(queues: readonly QueueView[], history: readonly Sample[], field: Field): Series[] {
  const busy = busyQueues(queues, history);
  const shown = busy.length > SERIES.length ? busy.slice(0, SERIES.length - 1) : busy;
  const rest = busy.slice(shown.length);
  const line = (name: string, members: readonly string[], index: number): Series => ({
    name,
    color: SERIES[index] ?? SERIES[0],
    values: history.map(({ queues: seen }) =>
      seen === undefined ? null : sumOf(members.flatMap((queue) => valuesOf(seen.get(queue), field))),
    ),
  });
  const own = shown.map((queue, index) => line(queue, [queue], index));
  return rest.length === 0 ? own : [...own, line(`${rest.length} others`, rest, own.length)];
}

/** Null for a depth that was never measured, which is not 0. */
const valuesOf = (queue: QueueView | undefined, field: Field): number[] =>
  queue === undefined || (field === 'depth' && queue.depthAt === null) ? [] : [queue[field]];

const sumOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);

/** Queues with any value in the time shown, in the order of the table; if there are none, the first queues. */
function busyQueues(queues: readonly QueueView[], history: readonly Sample[]): string[] {
  const names = queues.map(({ queue }) => queue);
  const busy = names.filter((name) =>
    history.some(({ queues: seen }) => {
      const queue = seen?.get(name);
      return queue !== undefined && (queue.depth > 0 || queue.active > 0);
    }),
  );
  return busy.length === 0 ? names.slice(0, 1) : busy;
}
