/** The times of a batch in a listing. Pure. */
import type { BatchRow, RevisionTimes } from '../batch-row.ts';
import { firstRevision } from '../revisions.ts';

/** The times of a batch in a listing: those of the present revision, and the result of the first one. */
export interface ListedTimes {
  revision: number;
  revisionItems: number;
  openedAt: string;
  queuedAt?: string | undefined;
  deadlineAt: string;
  completedAt?: string | undefined;
  pausedMs?: number | undefined;
  /**
   * Present after the first redrive: whether the first completion met the deadline. Before that it follows from the
   * times above.
   */
  deadlineMet?: boolean | undefined;
  /** Present after the first redrive: how long the first revision took, and how long its deadline allowed; milliseconds. */
  firstTookMs?: number | undefined;
  firstDeadlineMs?: number | undefined;
  /** Latency of the first revision, in milliseconds. */
  latencyP95?: number | undefined;
}

/** Returns the times of a batch for its line. */
export function listedTimes(row: BatchRow): ListedTimes {
  const { revision, revisionItems, openedAt, queuedAt, deadlineAt, completedAt, pausedMs } = row;
  const [first] = row.earlier;
  const { latencyP95 } = firstRevision(row);
  const present = { revision, revisionItems, openedAt, queuedAt, deadlineAt, completedAt, pausedMs, latencyP95 };
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
