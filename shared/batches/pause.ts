/** What a pause and a resume change in the row of a batch. */
import type { BatchPause, BatchRow } from './batch-row.ts';

/** Pauses a batch. A resume that is not through is given up: the next one puts all references again. */
export const pausing = (row: BatchRow, paused: BatchPause): BatchRow => ({
  ...row,
  state: 'paused',
  paused,
  resumingAt: undefined,
});

/** Resumes a paused batch where it was; `halt` counts from here, or it would pause the batch again at once. */
export const resuming = (row: BatchRow, resumingAt: string): BatchRow => ({
  ...row,
  state: row.startedAt === undefined ? 'queued' : 'running',
  paused: undefined,
  pausedMs: (row.pausedMs ?? 0) + Date.parse(resumingAt) - Date.parse(row.paused?.at ?? resumingAt),
  resumes: (row.resumes ?? 0) + 1,
  resumingAt,
  haltFrom: { succeeded: row.succeeded, dead: row.dead },
});
