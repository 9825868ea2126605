import type { JSX } from 'preact';
import type { BatchNotice, BatchNotices, Overview } from '../api/types.ts';
import { formatAgo, formatNumberOf, formatTime, plain, shortId } from '../format.ts';
import { batchHref, type Tab } from '../routing.ts';
import { NotShown, Trouble, type TroubleProps, TroubleRow } from './trouble.tsx';

interface Kind extends Pick<TroubleProps, 'title' | 'tone' | 'note'> {
  field: 'late' | 'atRisk' | 'pausedBatches' | 'failedReports' | 'suspect';
  /** The event that happened at `since`. */
  began: string;
  /** The state of the counted items. */
  items: string;
  action: string;
  tab?: Tab;
}

const KINDS: readonly Kind[] = [
  {
    ...{ field: 'late', title: 'Late batches', tone: 'bad', began: 'deadline passed', items: 'pending' },
    ...{ note: 'Their deadline has passed and they are not complete.', action: 'Why is it late?' },
  },
  {
    ...{ field: 'atRisk', title: 'Batches at risk', tone: 'warn', began: 'became at risk', items: 'pending' },
    ...{ note: 'At the current rate they will miss their deadline.', action: 'Why so slow?' },
  },
  {
    ...{ field: 'failedReports', title: 'Failed reports', tone: 'bad', began: 'failed', items: 'in all' },
    ...{ note: 'No item is pending, but there is no report.', action: 'Reason and repair', tab: 'report' },
  },
  {
    ...{ field: 'suspect', title: 'Suspect batches', tone: 'bad', began: 'ended', items: 'in all' },
    ...{ note: 'None of their first items is valid: probably the wrong file or lane.', action: 'Look at the causes' },
  },
  {
    ...{ field: 'pausedBatches', title: 'Paused batches', tone: 'warn', began: 'paused', items: 'pending' },
    ...{ note: 'None of their chunks starts until an operator resumes them.', action: 'Open to resume' },
  },
];

/** Batches that need attention, one section per kind. */
export const BatchTroubles = ({ overview }: { overview: Overview }): JSX.Element => (
  <>
    {KINDS.map((kind) => (
      <Batches key={kind.field} kind={kind} notices={overview[kind.field]} nowMs={Date.parse(overview.at)} />
    ))}
  </>
);

function Batches({ kind, notices, nowMs }: { kind: Kind; notices: BatchNotices; nowMs: number }): JSX.Element {
  const { title, tone, note, action, tab } = kind;
  return (
    <Trouble title={title} tone={tone} note={note} count={notices.count}>
      {notices.batches.map((batch) => (
        <TroubleRow
          key={batch.id}
          name={
            <a class="mono" href={batchHref(batch.id)}>
              {shortId(batch.id)}
            </a>
          }
          facts={factsOf(batch, kind, nowMs)}
          reason={batch.text === undefined ? undefined : <bdi>{plain(batch.text)}</bdi>}
          action={
            <a class="button plain small" href={batchHref(batch.id, tab)}>
              {action}
            </a>
          }
        />
      ))}
      <NotShown shown={notices.batches.length} count={notices.count} />
    </Trouble>
  );
}

const factsOf = ({ workload, lane, file, since, items }: BatchNotice, kind: Kind, nowMs: number) => [
  `${workload}, lane ${lane}`,
  ...(file === undefined ? [] : [<bdi>{plain(file)}</bdi>]),
  `${formatNumberOf(items, 'item')} ${kind.items}`,
  <span title={formatTime(since)}>
    {kind.began} {formatAgo(since, nowMs)}
  </span>,
];
