import type { BatchPause, BatchRow } from './batch-row.ts';

/**
 * Pauses a batch, or replaces its pause. An unfinished resume is dropped: the next resume puts all references again.
 */
export const pausing = (row: BatchRow, paused: BatchPause): BatchRow => ({
  ...row,
  ...endingPause(row, paused.at),
  state: 'paused',
  paused,
});

/** Ends the pause of a batch, if it is paused, and drops an unfinished resume. */
export const endingPause = (
  { paused, pausedMs }: Pick<BatchRow, 'paused' | 'pausedMs'>,
  at: string,
): Pick<BatchRow, 'paused' | 'pausedMs' | 'resumingAt'> => ({
  paused: undefined,
  pausedMs: paused === undefined ? pausedMs : (pausedMs ?? 0) + Date.parse(at) - Date.parse(paused.at),
  resumingAt: undefined,
});

/**
 * Resumes a paused batch in its previous state. `halt` counts from here; otherwise it would pause the batch again
 * immediately.
 */
export const resuming = (row: BatchRow, resumingAt: string): BatchRow => ({
  ...row,
  ...endingPause(row, resumingAt),
  state: row.startedAt === undefined ? 'queued' : 'running',
  resumes: (row.resumes ?? 0) + 1,
  resumingAt,
  haltFrom: { succeeded: row.succeeded, dead: row.dead },
});
