/** What a pause and a resume change in the row of a batch. */
import type { BatchPause, BatchRow } from './batch-row.ts';

/** Pauses a batch. A resume that is not through is given up: the next one puts all references again. */
export const pausing = (row: BatchRow, why: Omit<BatchPause, 'at'>, nowMs: number): BatchRow => ({
  ...row,
  state: 'paused',
  paused: { ...why, at: laterThan(row.resumingAt, nowMs) },
  resumingAt: undefined,
});

/** Resumes a batch where it was; `halt` counts from here, or it would pause the batch again at once. */
export const resuming = (row: BatchRow, nowMs: number): BatchRow => ({
  ...row,
  state: row.startedAt === undefined ? 'queued' : 'running',
  paused: undefined,
  resumingAt: laterThan(row.paused?.at, nowMs),
  haltFrom: { succeeded: row.succeeded, dead: row.dead },
});

/** ISO text of the time, later than `earlier`: two resumes of a batch must not have the same. */
const laterThan = (earlier: string | undefined, nowMs: number): string =>
  new Date(Math.max(nowMs, (Date.parse(earlier ?? '') || 0) + 1)).toISOString();
