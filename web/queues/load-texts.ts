import type { QueueView } from '../api/types.ts';
import { formatCount, formatDuration, formatNumberOf, formatPercent } from '../format.ts';

type Load = NonNullable<QueueView['load']>;

export interface Figure {
  text: string;
  /** What exactly was measured. */
  says: string;
}

/** The load of the last wave as short figures, each with its unit; without the age of its work where that is unknown. */
export const loadFigures = ({ instances, cpu, eventLoop, responseMs, latencyMs }: Load): Figure[] => [
  { text: formatNumberOf(instances, 'instance'), says: 'Processes that ran the last wave' },
  { text: `CPU ${formatPercent(cpu)}`, says: 'Share of its cores that the busiest instance used' },
  { text: `event loop ${formatPercent(eventLoop)}`, says: 'Utilization of the event loop of the busiest instance' },
  { text: `storage ${millisecondsText(responseMs)}`, says: 'Mean response time of storage operations' },
  ...(latencyMs === 0
    ? []
    : [{ text: `oldest work ${formatDuration(latencyMs)}`, says: 'Age of the oldest work at the end of the wave' }]),
];

/** Storage answers within a few milliseconds, where a fraction is worth showing. */
const millisecondsText = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1_000 ? `${formatCount(ms)} ms` : formatDuration(ms);
