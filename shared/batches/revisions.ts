/**
 * The times of a batch by revision: the upload is revision 0, each redrive or discard opens the next. What one revision
 * measured is never changed by a later one, and the deadline is judged once, by the first completion.
 */
import type { BatchRow, PresentRevision, RevisionTimes } from './batch-row.ts';

/**
 * Earlier revisions that a row keeps: the first, by which the deadline is judged, and the latest. Some 6,000 characters of
 * JSON, and 8,000 more if all are discards whose reasons need escapes; a column holds 32,000.
 */
export const MAX_EARLIER = 20;

/** The times of the present revision. */
export function presentRevision(row: BatchRow): RevisionTimes {
  const { revision, revisionItems: items, discardReason, openedAt, deadlineAt, queuedAt, startedAt, completedAt } = row;
  const { pausedMs, latencyP50, latencyP95, latencyMax } = row;
  const times = { openedAt, deadlineAt, queuedAt, startedAt, completedAt, pausedMs };
  return { revision, items, discardReason, ...times, latencyP50, latencyP95, latencyMax };
}

/** The first revision, which is the upload. */
export const firstRevision = (row: BatchRow): RevisionTimes => row.earlier[0] ?? presentRevision(row);

/** What the row becomes when it opens its next revision, of `items` items. */
export function nextRevision(
  row: BatchRow,
  { items, openedAt, deadlineAt }: Pick<RevisionTimes, 'items' | 'openedAt' | 'deadlineAt'>,
): PresentRevision & Pick<BatchRow, 'revision' | 'earlier'> {
  const [first = presentRevision(row), ...rest] = [...row.earlier, presentRevision(row)];
  return {
    revision: row.revision + 1,
    revisionItems: items,
    discardReason: undefined,
    earlier: [first, ...rest.slice(1 - MAX_EARLIER)],
    openedAt,
    deadlineAt,
    queuedAt: undefined,
    startedAt: undefined,
    completedAt: undefined,
    pausedMs: undefined,
    latencyP50: undefined,
    latencyP95: undefined,
    latencyMax: undefined,
    suspect: undefined,
    progressPercent: undefined,
    progressAt: undefined,
    atRiskAt: undefined,
  };
}

/**
 * Whether the deadline was met: decided by the first completion, whatever was redriven later; or missed already, when its
 * time has passed. Null while it is open.
 */
export function isDeadlineMet(
  { deadlineAt, completedAt }: Pick<RevisionTimes, 'deadlineAt' | 'completedAt'>,
  nowMs: number,
): boolean | null {
  if (completedAt !== undefined) return Date.parse(completedAt) <= Date.parse(deadlineAt);
  return nowMs > Date.parse(deadlineAt) ? false : null;
}
