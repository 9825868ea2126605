/** Batches that need attention. Pure. */
import type { BatchRow, BatchState } from '../../batches/batch-row.ts';
import type { IndexEntry } from '../../batches/listing/index-rows.ts';
import { isAwaited } from '../../batches/progress/deadline-risk.ts';
import { pendingOf, type WatchedBatch } from '../../batches/watch/read-open-batches.ts';
import { createCauseGroups, type DeadBatch } from '../dead-letters/cause-groups.ts';
import { pauseText } from '../edge/notes.ts';
import { isWaiting } from '../queues/backlog.ts';
import type { BatchNotice, BatchNotices, Overview } from './schemas.ts';

/** Maximum number of notices of each kind, and of causes. */
const MAX_SHOWN = 20;

type ReadBatch = WatchedBatch & { row: BatchRow };
const isRead = (batch: WatchedBatch): batch is ReadBatch => batch.row !== undefined;

/** Returns the notices about open batches. */
export function openNotices(
  batches: readonly WatchedBatch[],
  nowMs: number,
): Pick<Overview, 'late' | 'atRisk' | 'pausedBatches'> {
  const late = batches.filter((batch) => isLate(batch, nowMs));
  const read = batches.filter(isRead);
  const atRisk = read.filter((batch) => isAwaited(batch.row) && !isLate(batch, nowMs));
  return {
    late: notices(late.flatMap((batch) => openNotice(batch, deadlineOf(batch)))),
    atRisk: notices(atRisk.flatMap((batch) => openNotice(batch, batch.row.atRiskAt))),
    pausedBatches: notices(read.flatMap(pausedNotice)),
  };
}

/** A batch that is being cancelled is not late. */
function isLate(batch: WatchedBatch, nowMs: number): boolean {
  const deadlineAt = deadlineOf(batch);
  return isWaiting(batch) && batch.row?.state !== 'cancelling' && Date.parse(deadlineAt ?? '') < nowMs;
}

const deadlineOf = ({ row, deadlineAt }: WatchedBatch): string | undefined => row?.deadlineAt ?? deadlineAt;

function pausedNotice(batch: ReadBatch): BatchNotice[] {
  const { paused, state } = batch.row;
  if (paused === undefined || state !== 'paused') return [];
  const { by, reason, at: since, until } = paused;
  const text = pauseText({ by, reason, since, until });
  return openNotice(batch, since).map((notice) => ({ ...notice, by, reason, text }));
}

/** Returns no notice if the time is not known. */
function openNotice(batch: WatchedBatch, since: string | undefined): BatchNotice[] {
  if (since === undefined) return [];
  const { id, workload, row } = batch;
  const lane = row?.lane ?? batch.lane ?? '';
  return [{ id, workload, lane, file: row?.fileName, since, items: pendingOf(batch) }];
}

/** A batch by its row, or by its line in the listing. */
type Latest = DeadBatch & Pick<IndexEntry, 'lane' | 'accepted' | 'openedAt' | 'completedAt' | 'revision'>;

/** Returns open batches by their rows, if these were read, because their lines date from their opening; others by their lines. */
export function latestOf(open: readonly WatchedBatch[], lines: readonly Latest[]): Latest[] {
  const rows = open.filter(isRead).map(({ row }) => row);
  const known = new Set(rows.map(({ id }) => id));
  return [...rows, ...lines.filter(({ id }) => !known.has(id))];
}

export type ReadReason = (batch: Pick<BatchRow, 'id' | 'revision'>) => Promise<string | undefined>;

/** Creates the notices of batches that ended in `state`. `reasonOf` is called only for those that are shown. */
export async function endedNotices(
  latest: readonly Latest[],
  state: Extract<BatchState, 'reportFailed' | 'suspect'>,
  reasonOf: ReadReason,
): Promise<BatchNotices> {
  const ended = latest.filter((batch) => batch.state === state);
  const all = ended.map((batch) => ({ batch, since: batch.completedAt ?? batch.openedAt })).sort(bySince);
  const shown = await Promise.all(
    all.slice(0, MAX_SHOWN).map(async ({ batch, since }): Promise<BatchNotice> => {
      const { id, workload, lane, fileName: file, accepted: items } = batch;
      const reason = await reasonOf(batch);
      return { id, workload, lane, file, since, items, reason, text: reason };
    }),
  );
  return { count: all.length, batches: shown };
}

/** Counts current dead letters of several batches, and the most frequent causes per workload. */
export function sumDeadLetters(batches: Iterable<DeadBatch>): Pick<Overview['deadLetters'], 'count' | 'causes'> {
  const collected = createCauseGroups({ labels: [] });
  for (const batch of batches) collected.add(batch);
  const { count, groups } = collected.result();
  const causes = groups.slice(0, MAX_SHOWN).map(({ cause, workload, count, batches, moreBatches }) => ({
    ...{ cause, workload, count, newest: batches[0]?.id ?? '' },
    batches: batches.length + moreBatches,
  }));
  return { count, causes };
}

const notices = (all: BatchNotice[]): BatchNotices => ({
  count: all.length,
  batches: all.sort(bySince).slice(0, MAX_SHOWN),
});

const bySince = (a: { since: string }, b: { since: string }): number => (a.since < b.since ? -1 : 1);
