import type { QueueView } from '../api/types.ts';
import { formatCount, formatDuration, formatNumberOf, formatPercent } from '../format.ts';

type Load = NonNullable<QueueView['load']>;

export interface Figure {
  text: string;
  /** The exact meaning of the figure. */
  says: string;
}

/**
 * Returns the load of the last wave as short figures with units; without the age of the oldest work if it is unknown.
 */
export const loadFigures = ({ instances, cpu, eventLoop, responseMs, latencyMs }: Load): Figure[] => [
  { text: formatNumberOf(instances, 'instance'), says: 'Processes that ran the last wave' },
  { text: `CPU ${formatPercent(cpu)}`, says: 'Share of its cores that the busiest instance used' },
  { text: `event loop ${formatPercent(eventLoop)}`, says: 'Utilization of the event loop of the busiest instance' },
  { text: `storage ${millisecondsText(responseMs)}`, says: 'Mean response time of storage operations' },
  ...(latencyMs === 0
    ? []
    : [{ text: `oldest work ${formatDuration(latencyMs)}`, says: 'Age of the oldest work at the end of the wave' }]),
];

/** Storage responds within a few milliseconds, so a fraction is useful. */
const millisecondsText = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1_000 ? `${formatCount(ms)} ms` : formatDuration(ms);
