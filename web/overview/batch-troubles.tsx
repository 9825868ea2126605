import type { JSX } from 'preact';
import type { BatchNotice, BatchNotices, Overview } from '../api/types.ts';
import { formatAgo, formatNumberOf, formatTime, plain, shortId } from '../format.ts';
import { batchHref, type Tab } from '../routing.ts';
import { NotShown, Trouble, type TroubleProps, TroubleRow } from './trouble.tsx';

interface Kind extends Pick<TroubleProps, 'tone'> {
  kind: 'late' | 'atRisk' | 'pausedBatches' | 'failedReports' | 'suspect';
  /** The event that happened at `since`. */
  began: string;
  items: string;
  action: string;
  tab?: Tab;
}

const KINDS: readonly Kind[] = [
  { kind: 'late', tone: 'bad', began: 'deadline passed', items: 'pending', action: 'Why is it late?' },
  { kind: 'atRisk', tone: 'warn', began: 'became at risk', items: 'pending', action: 'Why so slow?' },
  { kind: 'failedReports', tone: 'bad', began: 'failed', items: 'in all', action: 'Reason and repair', tab: 'report' },
  { kind: 'suspect', tone: 'bad', began: 'ended', items: 'in all', action: 'Look at the causes' },
  { kind: 'pausedBatches', tone: 'warn', began: 'paused', items: 'pending', action: 'Open to resume' },
];

/** Batches that need attention, one section per kind. */
export const BatchTroubles = ({ overview }: { overview: Overview }): JSX.Element => (
  <>
    {KINDS.map((each) => (
      <Batches key={each.kind} {...each} notices={overview[each.kind]} nowMs={Date.parse(overview.at)} />
    ))}
  </>
);

type BatchesProps = Kind & { notices: BatchNotices; nowMs: number };

function Batches({ notices, nowMs, ...each }: BatchesProps): JSX.Element {
  const { kind, tone, action, tab } = each;
  return (
    <Trouble kind={kind} tone={tone} count={notices.count}>
      {notices.batches.map((batch) => (
        <TroubleRow
          key={batch.id}
          name={
            <a class="mono" href={batchHref(batch.id)}>
              {shortId(batch.id)}
            </a>
          }
          facts={factsOf(batch, each, nowMs)}
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
