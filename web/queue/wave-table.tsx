import type { JSX } from 'preact';
import type { WaveView } from '../api/types.ts';
import { formatCount, formatDuration, formatTime } from '../format.ts';

/** The latest waves in figures, newest first, with the bound on the tasks of each. */
export function WaveTable({ waves }: { waves: readonly WaveView[] }): JSX.Element | null {
  if (waves.length === 0) return null;
  return (
    <details class="panel waves">
      <summary>Waves in figures</summary>
      <table class="table small stacking">
        <thead>
          <tr>
            <th>Ended</th>
            <th class="number">Messages</th>
            <th class="number">Tasks</th>
            <th>Limited by</th>
            <th class="number">Items</th>
            <th class="number">Took</th>
          </tr>
        </thead>
        <tbody>
          {waves.toReversed().map((wave) => (
            <Row key={wave.at} wave={wave} />
          ))}
        </tbody>
      </table>
    </details>
  );
}

const Row = ({ wave }: { wave: WaveView }): JSX.Element => (
  <tr>
    <td data-label="Ended">{formatTime(wave.at)}</td>
    <td class="number" data-label="Messages">
      {formatCount(wave.depth)}
    </td>
    <td class="number" data-label="Tasks">
      {formatCount(wave.tasks)}
    </td>
    <td data-label="Limited by">
      <span>
        {wave.limitedBy}
        {wave.late && <small> (for work that would be late)</small>}
        {wave.throttled > 0 && <small> ({formatCount(wave.throttled)} throttled)</small>}
      </span>
    </td>
    <td class="number" data-label="Items">
      {formatCount(wave.items)}
    </td>
    <td class="number" data-label="Took">
      {formatDuration(wave.seconds * 1_000)}
    </td>
  </tr>
);
