/** The times of a batch in a listing. Pure. */
import { flag, int64, optional, pickColumns, pickValues, type Values } from '../../storage/row.ts';
import { BATCH, type BatchRow, type RevisionTimes } from '../batch-row.ts';
import { firstRevision } from '../revisions.ts';

const PRESENT = pickColumns(BATCH, [
  ...(['revision', 'revisionItems', 'openedAt', 'queuedAt', 'deadlineAt', 'completedAt', 'pausedMs'] as const),
]);

/** The columns of a listing with the times of the present revision, and the result of the first one. */
export const LISTED_TIMES = {
  ...PRESENT,
  /** After the first redrive: whether the first completion met the deadline; before, the times above show it. */
  deadlineMet: optional(flag()),
  /** Present after the first redrive: how long the first revision took, and how long its deadline allowed; milliseconds. */
  firstTookMs: optional(int64()),
  firstDeadlineMs: optional(int64()),
  /** Latency of the first revision, in milliseconds. */
  latencyP95: optional(int64()),
};
export type ListedTimes = Values<typeof LISTED_TIMES>;

/** Returns the times of a batch for its line. */
export function listedTimes(row: BatchRow): ListedTimes {
  const [first] = row.earlier;
  const present = { ...pickValues(PRESENT, row), latencyP95: firstRevision(row).latencyP95 };
  if (first?.completedAt === undefined) return present;
  return {
    ...present,
    deadlineMet: first.completedAt <= first.deadlineAt,
    firstTookMs: tookMs(first),
    firstDeadlineMs: deadlineMs(first),
  };
}

/** Returns how long a revision took in milliseconds, without its pauses; undefined until it is completed. */
export const tookMs = ({ openedAt, completedAt, pausedMs = 0 }: Took): number | undefined =>
  completedAt === undefined ? undefined : Math.max(0, Date.parse(completedAt) - Date.parse(openedAt) - pausedMs);
type Took = Pick<RevisionTimes, 'openedAt' | 'completedAt' | 'pausedMs'>;

/** Returns the time that the deadline of a revision allowed, in milliseconds. */
export const deadlineMs = ({ openedAt, deadlineAt }: Pick<RevisionTimes, 'openedAt' | 'deadlineAt'>): number =>
  Math.max(0, Date.parse(deadlineAt) - Date.parse(openedAt));
