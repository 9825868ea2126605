import type { JSX } from 'preact';
import { formatCount, formatNumberOf, formatPercent } from '../format.ts';
import { PartsBar } from '../ui/pieces.tsx';

export interface ProgressProps {
  state: string;
  accepted: number;
  dead: number;
  pending: number;
}

/** The progress of a batch, with its dead letters shown separately. */
export function Progress({ state, accepted, dead, pending }: ProgressProps): JSX.Element {
  const done = accepted - pending;
  const fraction = accepted === 0 ? 1 : done / accepted;
  const cancelled = state === 'cancelled';
  const parts = [
    { name: 'done', value: done - dead, tone: cancelled ? 'off' : 'good' },
    { name: 'dead letters', value: dead, tone: 'warn' },
    { name: 'pending', value: pending, tone: 'track' },
  ];
  return (
    <div class="progress">
      <PartsBar parts={parts} label={`${formatPercent(fraction)} done`} />
      <small>
        {pending > 0
          ? `${formatCount(done)} of ${formatNumberOf(accepted, 'item')}, ${formatPercent(fraction)}`
          : formatNumberOf(accepted, 'item')}
        {dead > 0 && <b class="tone-warn"> · {formatCount(dead)} dead</b>}
      </small>
    </div>
  );
}
