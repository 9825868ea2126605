/** Decides from the row whether a batch is likely to miss the deadline of its present revision. Pure. */
import { type BatchRow, isFinished, pendingItems } from '../batch-row.ts';
import { expectedEndMs, measurePace } from './pace.ts';
import { type BatchProgress, sumFresh } from './progress-rows.ts';

/** The details of `DeadlineAtRisk`. */
export type DeadlineRisk = {
  deadlineAt: string;
  /** When the rest will have ended at the pace so far; null: the pace is unknown, or nothing of the batch is running. */
  expectedAt: string | null;
  /** Items of the revision that have ended, including those in running chunks, which the ledger does not count yet. */
  ended: number;
  items: number;
  revision: number;
};

/** What is known about a batch beside its row. Times are service times in milliseconds. */
export interface RiskFacts {
  nowMs: number;
  /** How far its running chunks are; default none. */
  progress?: readonly BatchProgress[];
  /** Set if nothing of the batch is running: when it is read next, since only the sweep reads it. */
  nextCheckMs?: number | undefined;
}

/**
 * Share of its time after which a batch is judged. Before that, most of the time passes while instances start (up to a
 * minute, of a default of five): at that pace most batches would be late.
 */
const JUDGED_SHARE = 0.25;
/** Share of its time after which a batch without a known pace is at risk: the rest is left for a person to act. */
const BLIND_SHARE = 0.8;

/**
 * Returns whether the present revision is likely to miss its deadline, and this was not found before: at its pace it ends
 * later; or the pace is unknown, and most of its time has passed, or all will have passed when it is read next. Never
 * true once everything has ended, nor for a batch that is being cancelled, since nobody waits for it.
 */
export function isAtRisk(row: BatchRow, facts: RiskFacts): boolean {
  if (row.atRiskAt !== undefined || !isAwaited(row)) return false;
  const { nowMs, nextCheckMs = nowMs } = facts;
  const [openedMs, deadlineMs] = [Date.parse(row.openedAt), Date.parse(row.deadlineAt)];
  const share = (nowMs - openedMs) / (deadlineMs - openedMs);
  if (share < JUDGED_SHARE) return false;
  const endMs = endOf(row, facts);
  return endMs === undefined ? share >= BLIND_SHARE || nextCheckMs >= deadlineMs : endMs > deadlineMs;
}

/** Whether the batch has pending chunks and is neither finished nor being cancelled. */
export const isAwaited = ({ state, chunksDone, chunksTotal }: BatchRow): boolean =>
  !isFinished(state) && state !== 'cancelling' && chunksDone < chunksTotal;

/** Makes the details of the event about a batch at risk. */
export function riskOf(row: BatchRow, facts: RiskFacts): DeadlineRisk {
  const { deadlineAt, revision, revisionItems: items } = row;
  const endMs = endOf(row, facts);
  const running = sumFresh(facts.progress ?? [], row, facts.nowMs)?.ended ?? 0;
  const expectedAt = endMs === undefined ? null : new Date(endMs).toISOString();
  return { deadlineAt, expectedAt, ended: items - pendingItems(row) + running, items, revision };
}

/** The expected end, as the API estimates it; undefined if the pace is unknown or nothing is running. */
function endOf(row: BatchRow, { nowMs, progress = [], nextCheckMs }: RiskFacts): number | undefined {
  if (nextCheckMs !== undefined || (row.state !== 'queued' && row.state !== 'running')) return undefined;
  const { revisionItems: items } = row;
  const running = sumFresh(progress, row, nowMs);
  const pace = measurePace({ ...row, items, pending: pendingItems(row), running }, nowMs);
  return pace && pace.ended > 0 ? expectedEndMs(pace, { items, nowMs }) : undefined;
}
