import { type BatchRow, pendingItems } from '../batch-row.ts';

/** Percent of a revision's items, highest first. */
const THRESHOLDS = [75, 50, 25] as const;

/** Minimum time between two events, and after the opening of the revision: a batch of less than a minute publishes none. */
const MIN_INTERVAL_MS = 60_000;

/**
 * Decides whether the ends that were just counted take a revision past 25, 50 or 75 % of its items. Returns the highest
 * threshold that it has passed. Returns undefined if that one was recorded before, within a minute of the previous
 * event, while the batch is being cancelled, and if nothing is pending, since the end of the batch is then published.
 * Pure.
 * @param at service time
 */
export function progressStep(
  batch: BatchRow,
  at: string,
): Required<Pick<BatchRow, 'progressPercent' | 'progressAt'>> | undefined {
  const { state, chunksDone, chunksTotal, revisionItems, progressPercent = 0, progressAt, openedAt } = batch;
  if (state === 'cancelling' || chunksDone === chunksTotal) return undefined;
  if (Date.parse(at) - Date.parse(progressAt ?? openedAt) < MIN_INTERVAL_MS) return undefined;
  const ended = revisionItems - pendingItems(batch);
  const percent = THRESHOLDS.find((threshold) => ended * 100 >= threshold * revisionItems);
  return percent !== undefined && percent > progressPercent ? { progressPercent: percent, progressAt: at } : undefined;
}
