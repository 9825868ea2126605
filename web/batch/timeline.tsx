import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';
import { formatClock, formatDuration, formatNumberOf, formatTime } from '../format.ts';
import { isSettled } from './settled.ts';

interface Moment {
  name: string;
  says: string;
  at: string | null;
  /** It has come to pass, although nothing tells when. */
  done: boolean;
}

/** From accepted to reported, each with the time since the one before. */
export function Timeline({ batch }: { batch: BatchView }): JSX.Element {
  const moments = momentsOf(batch);
  const next = moments.findIndex(({ done }) => !done);
  return (
    <>
      <ol class="timeline">
        {moments.map(({ name, says, at, done }, index) => (
          <li key={name} class={done ? 'done' : index === next && !isSettled(batch) ? 'next' : ''}>
            <div>
              <strong>{name}</strong>
              <small>{says}</small>
            </div>
            <div class="when">
              {at !== null && (
                <time dateTime={at} title={formatTime(at)}>
                  {formatClock(at)}
                </time>
              )}
              <small>{spanText(moments, index)}</small>
            </div>
          </li>
        ))}
      </ol>
      <DeadlineText batch={batch} />
    </>
  );
}

function momentsOf({ times, state, reportRevision, reportProblem, chunks }: BatchView): Moment[] {
  const end = state === 'cancelled' ? 'Cancelled' : 'Completed';
  const reported = reportRevision !== null;
  return [
    { name: 'Accepted', says: 'stored whole, safe from now on', at: times.accepted, done: true },
    {
      name: 'Queued',
      says: `${formatNumberOf(chunks.total, 'reference')} on the queue`,
      at: times.queued,
      done: times.queued !== null,
    },
    { name: 'Started', says: 'first chunk finished', at: times.started, done: times.started !== null },
    { name: end, says: 'nothing pending', at: times.completed, done: times.completed !== null },
    { name: 'Reported', says: reportText(reportRevision, reportProblem), at: null, done: reported },
  ];
}

function reportText(revision: number | null, problem: string | undefined): string {
  if (problem !== undefined) return problem;
  return revision === null ? 'the aggregate of all results' : `revision ${revision} of the report`;
}

function spanText(moments: readonly Moment[], index: number): string {
  const before = moments[index - 1]?.at;
  const at = moments[index]?.at;
  return before && at ? `+ ${formatDuration(Math.max(0, Date.parse(at) - Date.parse(before)))}` : '';
}

function DeadlineText({ batch: { times } }: { batch: BatchView }): JSX.Element {
  const end = times.completed === null ? Date.now() : Date.parse(times.completed);
  const spare = Date.parse(times.deadline) - end;
  return (
    <p class={spare < 0 ? 'tone-bad' : 'soft'}>
      Deadline {formatClock(times.deadline)}:{' '}
      {spare < 0
        ? `missed by ${formatDuration(-spare)}`
        : `${formatDuration(spare)} ${times.completed === null ? 'left' : 'to spare'}`}
    </p>
  );
}
