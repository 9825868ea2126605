import type { JSX } from 'preact';
import type { BatchEntry } from '../api/types.ts';
import { formatDuration } from '../format.ts';

/** The time a batch takes or took, beside the time it had. */
export function Deadline({ batch }: { batch: BatchEntry }): JSX.Element {
  const { createdAt, completedAt, deadlineAt, etaAt } = batch;
  const now = Date.now();
  const allowed = deadlineAt === null ? null : Date.parse(deadlineAt) - Date.parse(createdAt);
  const taken = Date.parse(completedAt ?? etaAt ?? new Date(now).toISOString()) - Date.parse(createdAt);
  const late = allowed !== null && taken > allowed;
  return (
    <div class="deadline">
      {allowed !== null && (
        <meter
          class={late ? 'late' : ''}
          min={0}
          max={allowed}
          value={Math.min(taken, allowed)}
          aria-label="Share of the time allowed"
        />
      )}
      <small class={late ? 'tone-bad' : ''}>{textOf({ completedAt, etaAt, taken, allowed, now })}</small>
    </div>
  );
}

interface Times extends Pick<BatchEntry, 'completedAt' | 'etaAt'> {
  taken: number;
  allowed: number | null;
  now: number;
}

function textOf({ completedAt, etaAt, taken, allowed, now }: Times): string {
  const of = allowed === null ? '' : ` of ${formatDuration(rounded(allowed))}`;
  if (completedAt !== null) return `took ${formatDuration(taken)}${of}`;
  if (etaAt === null) return `waiting, ${formatDuration(taken)}${of}`;
  return `${formatDuration(Math.max(0, Date.parse(etaAt) - now))} left, will take ${formatDuration(taken)}${of}`;
}

const MINUTE_MS = 60_000;

/** What was promised is whole minutes from the acceptance; the listing knows when the upload began. */
const rounded = (ms: number): number => (ms < 2 * MINUTE_MS ? ms : Math.round(ms / MINUTE_MS) * MINUTE_MS);
