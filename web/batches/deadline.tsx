import type { JSX } from 'preact';
import type { BatchEntry } from '../api/types.ts';
import { formatDuration, formatTime } from '../format.ts';

/**
 * Whether the batch met its deadline, and the time used of the time allowed. The first completion decides: a later
 * revision (a redrive, a discard, a report) is shown beside it and does not change it.
 */
export function Deadline({ batch }: { batch: BatchEntry }): JSX.Element {
  const { state, revision, openedAt, completedAt, deadlineAt, deadlineMet, estimate, atRiskAt, blocked } = batch;
  const now = Date.now();
  const allowed = Date.parse(deadlineAt) - Date.parse(openedAt);
  const endsAt = estimate?.completesAt;
  const taken = Date.parse(completedAt ?? endsAt ?? new Date(now).toISOString()) - Date.parse(openedAt);
  const isFirst = revision === 0;
  const missed = deadlineMet === false;
  const late = missed || (isFirst && taken > allowed);
  const lateMs = (completedAt === null ? now : Date.parse(completedAt)) - Date.parse(deadlineAt);
  const atRisk = completedAt === null && atRiskAt !== undefined && now < Date.parse(deadlineAt);
  return (
    <div class="deadline">
      <meter
        class={late ? 'late' : ''}
        min={0}
        max={allowed}
        value={Math.min(taken, allowed)}
        aria-label="Share of the time allowed"
      />
      <small class={late && isFirst ? 'tone-bad' : atRisk ? 'tone-warn' : ''} title={estimate?.basis}>
        {missed && <b class="tone-bad">{isFirst ? `missed, ${formatDuration(lateMs)} late; ` : 'missed; '}</b>}
        {!isFirst && deadlineMet === true && 'met; '}
        {!isFirst && `revision ${revision} `}
        {textOf({ state, completedAt, endsAt, taken, allowed, now, isBlocked: blocked !== undefined })}
        {atRisk && <b title={`Since ${formatTime(atRiskAt)}`}>, at risk</b>}
      </small>
    </div>
  );
}

interface Times extends Pick<BatchEntry, 'state' | 'completedAt'> {
  endsAt: string | undefined;
  taken: number;
  allowed: number;
  now: number;
  isBlocked: boolean;
}

function textOf({ state, completedAt, endsAt, taken, allowed, now, isBlocked }: Times): string {
  const of = ` of ${formatDuration(allowed)}`;
  if (completedAt !== null) return `took ${formatDuration(taken)}${of}`;
  if (endsAt === undefined)
    return `${state === 'running' && !isBlocked ? 'running' : 'waiting'}, ${formatDuration(taken)}${of}`;
  return `${formatDuration(Math.max(0, Date.parse(endsAt) - now))} left, will take ${formatDuration(taken)}${of}`;
}
