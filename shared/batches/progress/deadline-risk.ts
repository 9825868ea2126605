/** Decides from the row whether a batch is likely to miss the deadline of its present revision. Pure. */
import { type BatchRow, isFinished, pendingItems } from '../batch-row.ts';
import { expectedEndMs, measurePace } from './pace.ts';
import { type BatchProgress, sumFresh } from './progress-rows.ts';

export type DeadlineRisk = {
  deadlineAt: string;
  /** When the rest will have ended at the pace so far; null if the pace is unknown or nothing of the batch is running. */
  expectedAt: string | null;
  /** Items of the revision that have ended, including those in running chunks, which the ledger does not count yet. */
  ended: number;
  items: number;
  revision: number;
};

/** Facts about a batch that are not in its row. Times are service times in milliseconds. */
export interface RiskFacts {
  nowMs: number;
  progress?: readonly BatchProgress[];
  /** Set if nothing of the batch is running: the time at which it is read next, since only the sweep reads it. */
  nextCheckMs?: number | undefined;
}

/** Fraction of its time after which a batch is judged: before that, its instances may still be starting. */
const JUDGED_FRACTION = 0.25;
/** Fraction of its time after which a batch without a known pace is at risk; in the rest of the time an operator can react. */
const BLIND_FRACTION = 0.8;

/**
 * Returns whether the present revision is likely to miss its deadline, unless that was found before. It is at risk if
 * at its pace it ends later. If the pace is unknown, it is at risk if most of its time has passed, or if all its time
 * will have passed at the next check. Always false if everything has ended, and for a batch that is being cancelled.
 */
export function isAtRisk(row: BatchRow, facts: RiskFacts): boolean {
  if (row.atRiskAt !== undefined || !isAwaited(row)) return false;
  const { nowMs, nextCheckMs = nowMs } = facts;
  const [openedMs, deadlineMs] = [Date.parse(row.openedAt), Date.parse(row.deadlineAt)];
  const fraction = (nowMs - openedMs) / (deadlineMs - openedMs);
  if (fraction < JUDGED_FRACTION) return false;
  const endMs = endOf(row, facts);
  return endMs === undefined ? fraction >= BLIND_FRACTION || nextCheckMs >= deadlineMs : endMs > deadlineMs;
}

/** Whether the batch has pending chunks and is neither finished nor being cancelled. */
export const isAwaited = ({ state, chunksDone, chunksTotal }: BatchRow): boolean =>
  !isFinished(state) && state !== 'cancelling' && chunksDone < chunksTotal;

/** Creates the details of the event about a batch at risk. */
export function riskOf(row: BatchRow, facts: RiskFacts): DeadlineRisk {
  const { deadlineAt, revision, revisionItems: items } = row;
  const endMs = endOf(row, facts);
  const running = sumFresh(facts.progress ?? [], row, facts.nowMs)?.ended ?? 0;
  const expectedAt = endMs === undefined ? null : new Date(endMs).toISOString();
  return { deadlineAt, expectedAt, ended: items - pendingItems(row) + running, items, revision };
}

/** Returns the expected end, as the API estimates it; undefined if the pace is unknown or nothing is running. */
function endOf(row: BatchRow, { nowMs, progress = [], nextCheckMs }: RiskFacts): number | undefined {
  if (nextCheckMs !== undefined || (row.state !== 'queued' && row.state !== 'running')) return undefined;
  const { revisionItems: items } = row;
  const running = sumFresh(progress, row, nowMs);
  const pace = measurePace({ ...row, items, pending: pendingItems(row), running }, nowMs);
  return pace && pace.ended > 0 ? expectedEndMs(pace, { items, nowMs }) : undefined;
}
