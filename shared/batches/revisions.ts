/**
 * The times of a batch by revision: the upload is revision 0, each redrive or discard opens the next. A later revision
 * never changes the measurements of an earlier one, and the deadline is judged once, by the first completion.
 */
import type { BatchRow, PresentRevision, RevisionTimes } from './batch-row.ts';

/**
 * Maximum number of earlier revisions in a row: the first one, by which the deadline is judged, and the latest ones.
 * They need about 6,000 characters of JSON, and 8,000 more if all are discards whose reasons need escapes; a column can
 * hold 32,000.
 */
export const MAX_EARLIER = 20;

/** Reads the times of the present revision from the columns of the row; those of earlier ones are in `earlier`. */
export function presentRevision(row: BatchRow): RevisionTimes {
  const { revision, revisionItems: items, discardReason, openedAt, deadlineAt, queuedAt, startedAt, completedAt } = row;
  const { pausedMs, latencyP50, latencyP95, latencyMax } = row;
  const times = { openedAt, deadlineAt, queuedAt, startedAt, completedAt, pausedMs };
  return { revision, items, discardReason, ...times, latencyP50, latencyP95, latencyMax };
}

/** Returns the first revision, which is the upload. */
export const firstRevision = (row: BatchRow): RevisionTimes => row.earlier[0] ?? presentRevision(row);

/** Computes the changes of the row when it opens its next revision, which has `items` items. */
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
    enqueuedTo: undefined,
    atRiskAt: undefined,
  };
}

/**
 * Returns whether the deadline was met. The first completion decides, not later redrives. Without a completion it is
 * false after the deadline, and null before it.
 */
export function isDeadlineMet(
  { deadlineAt, completedAt }: Pick<RevisionTimes, 'deadlineAt' | 'completedAt'>,
  nowMs: number,
): boolean | null {
  if (completedAt !== undefined) return Date.parse(completedAt) <= Date.parse(deadlineAt);
  return nowMs > Date.parse(deadlineAt) ? false : null;
}
