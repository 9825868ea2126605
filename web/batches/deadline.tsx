import type { JSX } from 'preact';
import type { BatchEntry } from '../api/types.ts';
import { formatDuration } from '../format.ts';

/** The time that a batch, or its latest redrive, takes or took, beside the time it had. */
export function Deadline({ batch }: { batch: BatchEntry }): JSX.Element {
  const { revision, openedAt, completedAt, deadlineAt, deadlineMet, estimate } = batch;
  const now = Date.now();
  const allowed = Date.parse(deadlineAt) - Date.parse(openedAt);
  const endsAt = estimate?.completesAt;
  const taken = Date.parse(completedAt ?? endsAt ?? new Date(now).toISOString()) - Date.parse(openedAt);
  // The upload alone is judged; a redrive neither breaches the deadline nor heals it.
  const late = deadlineMet === false || (revision === 0 && taken > allowed);
  return (
    <div class="deadline">
      <meter
        class={late ? 'late' : ''}
        min={0}
        max={allowed}
        value={Math.min(taken, allowed)}
        aria-label="Share of the time allowed"
      />
      <small class={late ? 'tone-bad' : ''} title={estimate?.basis}>
        {revision > 0 && 'redrive '}
        {textOf({ completedAt, endsAt, taken, allowed, now })}
        {revision > 0 && late && ', deadline missed before'}
      </small>
    </div>
  );
}

interface Times extends Pick<BatchEntry, 'completedAt'> {
  endsAt: string | undefined;
  taken: number;
  allowed: number;
  now: number;
}

function textOf({ completedAt, endsAt, taken, allowed, now }: Times): string {
  const of = ` of ${formatDuration(allowed)}`;
  if (completedAt !== null) return `took ${formatDuration(taken)}${of}`;
  if (endsAt === undefined) return `waiting, ${formatDuration(taken)}${of}`;
  return `${formatDuration(Math.max(0, Date.parse(endsAt) - now))} left, will take ${formatDuration(taken)}${of}`;
}
