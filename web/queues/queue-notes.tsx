import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { formatCount, formatDuration, formatNumberOf, formatPercent, plain } from '../format.ts';

/** What the server says about a queue, and its figures. */
export const QueueNotes = ({ queue }: { queue: QueueView }): JSX.Element => (
  <small class="notes">
    {[...queue.notes.map(({ text }) => text), ...figuresOf(queue)].map((text) => (
      <span key={text}>
        <bdi>{plain(text)}</bdi>
      </span>
    ))}
  </small>
);

const figuresOf = ({ generation, policyVersion, secondsPerReference, status }: QueueView): string[] => [
  ...(generation > 0 ? [`${formatNumberOf(generation, 'drain')} so far`] : []),
  ...(status === 'draining' && secondsPerReference > 0
    ? [`${formatDuration(secondsPerReference * 1_000)} per chunk`]
    : []),
  ...(policyVersion > 0 ? [`policy ${policyVersion}`] : []),
];

/** The load of the instances in the last wave of a queue; empty for a queue that was never drained. */
export function LoadFigures({ queue: { load, generation } }: { queue: QueueView }): JSX.Element | null {
  if (generation === 0) return null;
  if (load === null) return <small class="notes">load not measured yet</small>;
  return (
    <small class="notes">
      {loadFigures(load).map(({ text, says }) => (
        <span key={says} title={says}>
          {text}
        </span>
      ))}
    </small>
  );
}

type Load = NonNullable<QueueView['load']>;

/** Returns figures with units and their exact meaning; without the age of the oldest work if it is unknown. */
const loadFigures = ({ instances, cpu, eventLoop, responseMs, latencyMs }: Load): { text: string; says: string }[] => [
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
