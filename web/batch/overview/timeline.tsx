import type { JSX } from 'preact';
import type { BatchView } from '../../api/types.ts';
import { formatClock, formatDuration, formatNumberOf, formatTime } from '../../format.ts';
import { isFinished, reportFailure } from '../finished.ts';
import { deadlineVerdict, type Revision } from './revision.ts';

interface Moment {
  name: string;
  says: string;
  at: string | null;
  /** The moment has passed, although its time may be unknown. */
  done: boolean;
  failed?: boolean;
}

export interface TimelineProps {
  batch: BatchView;
  revision: Revision;
}

/** A revision from its opening to its report, each moment with the time since the previous one. */
export function Timeline({ batch, revision }: TimelineProps): JSX.Element {
  const moments = momentsOf(batch, revision);
  const next = moments.findIndex(({ done }) => !done);
  return (
    <>
      <ol class="timeline">
        {moments.map(({ name, says, at, done, failed }, index) => (
          <li key={name} class={failed ? 'failed' : done ? 'done' : index === next && !isFinished(batch) ? 'next' : ''}>
            <div>
              <strong>{name}</strong>
              <small class={failed ? 'tone-bad' : ''}>{says}</small>
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

function momentsOf(batch: BatchView, revision: Revision): Moment[] {
  const { queued, started, completed, items } = revision;
  const isPresent = revision.revision === batch.revision;
  const isCancelled = isPresent && batch.state === 'cancelled';
  const moments = [
    openingOf(revision),
    // A report revision runs no items, and a discard puts nothing on the queue.
    ...(revision.kind === 'report' || revision.kind === 'discard'
      ? []
      : [
          { name: 'Queued', says: queuedText(batch, revision), at: queued },
          { name: 'Started', says: 'first chunk finished', at: started },
        ]),
    { name: isCancelled ? 'Cancelled' : 'Completed', says: items === 0 ? '' : 'nothing pending', at: completed },
  ];
  // A later moment proves that an earlier one without a known time has passed.
  const timed = moments.map((moment, index) => ({
    ...moment,
    done: moments.slice(index).some(({ at }) => at !== null),
  }));
  return isPresent ? [...timed, reportOf(batch)] : timed;
}

const queuedText = ({ chunks }: BatchView, { revision, items }: Revision): string =>
  revision === 0
    ? `${formatNumberOf(chunks.total, 'reference')} on the queue`
    : `${formatNumberOf(items, 'item')} on the queue`;

function openingOf({ kind, items, opened, revision }: Revision): Omit<Moment, 'done'> {
  switch (kind) {
    case 'upload':
      return { name: 'Accepted', says: 'stored completely, safe from now on', at: opened };
    case 'redrive':
      return { name: 'Redriven', says: `${formatNumberOf(items, 'dead letter')}, in revision ${revision}`, at: opened };
    case 'discard':
      return {
        name: 'Discarded',
        says: `${formatNumberOf(items, 'dead letter')}, in revision ${revision}`,
        at: opened,
      };
    case 'report':
      return { name: 'Requested', says: `only the report, in revision ${revision}`, at: opened };
    default:
      return kind satisfies never;
  }
}

function reportOf(batch: BatchView): Moment {
  const { reportRevision, revision } = batch;
  const failed = reportFailure(batch) !== undefined;
  // While a redrive runs, the report of the previous revision still exists.
  const done = reportRevision !== null && !failed && (reportRevision === revision || isFinished(batch));
  return {
    name: 'Reported',
    says: failed ? 'failed: see the reason above' : reportText(reportRevision),
    at: null,
    done,
    failed,
  };
}

const reportText = (revision: number | null): string =>
  revision === null ? 'the aggregate of all results' : `revision ${revision} of the report`;

function spanText(moments: readonly Moment[], index: number): string {
  const before = moments.slice(0, index).findLast(({ at }) => at !== null)?.at;
  const at = moments[index]?.at;
  return before && at ? `+ ${formatDuration(Math.max(0, Date.parse(at) - Date.parse(before)))}` : '';
}

function DeadlineText({ batch }: { batch: BatchView }): JSX.Element {
  const { text, tone } = deadlineVerdict(batch, Date.now());
  return (
    <p class={tone === 'bad' ? 'tone-bad' : 'soft'}>
      Deadline {formatClock(batch.deadline.at)}: {text}
      {batch.revision > 0 && '. The first completion decides; later revisions do not change it.'}
    </p>
  );
}
