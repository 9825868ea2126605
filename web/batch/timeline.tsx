import type { JSX } from 'preact';
import type { BatchView } from '../api/types.ts';
import { formatClock, formatDuration, formatNumberOf, formatTime } from '../format.ts';
import { isFinished } from './finished.ts';

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
          <li key={name} class={done ? 'done' : index === next && !isFinished(batch) ? 'next' : ''}>
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
      <UploadText batch={batch} />
    </>
  );
}

function momentsOf(batch: BatchView): Moment[] {
  const { times, state, reportRevision, reportProblem, chunks } = batch;
  const end = state === 'cancelled' ? 'Cancelled' : 'Completed';
  const reported = reportRevision !== null && reportProblem === undefined;
  const ended = [
    { name: end, says: 'nothing pending', at: times.completed, done: times.completed !== null },
    { name: 'Reported', says: reportText(reportRevision, reportProblem), at: null, done: reported },
  ];
  if (isReportAlone(batch)) return [openingOf(batch), ...ended];
  return [
    openingOf(batch),
    {
      name: 'Queued',
      says: `${formatNumberOf(chunks.total, 'reference')} on the queue`,
      at: times.queued,
      done: times.queued !== null,
    },
    { name: 'Started', says: 'first chunk finished', at: times.started, done: times.started !== null },
    ...ended,
  ];
}

/** Whether the present revision was opened to make the report again: it has no items. */
const isReportAlone = ({ revision, revisions }: BatchView): boolean => revision > 0 && revisions.at(-1)?.items === 0;

function openingOf(batch: BatchView): Moment {
  const { times, revision, revisions } = batch;
  if (revision === 0)
    return { name: 'Accepted', says: 'stored whole, safe from now on', at: times.accepted, done: true };
  const what = isReportAlone(batch) ? 'the report alone' : formatNumberOf(revisions.at(-1)?.items ?? 0, 'dead letter');
  return { name: 'Redriven', says: `${what}, in revision ${revision}`, at: times.opened, done: true };
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

/** The upload is judged by its own end, whatever was redriven later. */
function DeadlineText({ batch: { deadline, revisions } }: { batch: BatchView }): JSX.Element {
  const completed = revisions[0]?.completed ?? null;
  const end = completed === null ? Date.now() : Date.parse(completed);
  const spare = Date.parse(deadline.at) - end;
  return (
    <p class={spare < 0 ? 'tone-bad' : 'soft'}>
      Deadline {formatClock(deadline.at)}:{' '}
      {spare < 0
        ? `missed by ${formatDuration(-spare)}`
        : `${formatDuration(spare)} ${completed === null ? 'left' : 'to spare'}`}
    </p>
  );
}

function UploadText({ batch: { revision, revisions } }: { batch: BatchView }): JSX.Element | null {
  const [upload] = revisions;
  if (revision === 0 || !upload?.completed) return null;
  const took = formatDuration(Date.parse(upload.completed) - Date.parse(upload.opened));
  return (
    <p class="soft">
      The upload was accepted at {formatTime(upload.opened)} and took {took}.
    </p>
  );
}
