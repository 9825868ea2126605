/** What a pause and its end change in the row of a batch. */
import type { BatchPause, BatchRow } from './batch-row.ts';

/** Pauses a batch. A resume that is not through is given up: the next one puts all references again. */
export const pausing = (row: BatchRow, paused: BatchPause): BatchRow => ({
  ...row,
  state: 'paused',
  paused,
  resumingAt: undefined,
});

/** Ends the pause of a batch, if it has one, and a resume that is not through. */
export const endingPause = (
  { paused, pausedMs }: Pick<BatchRow, 'paused' | 'pausedMs'>,
  at: string,
): Pick<BatchRow, 'paused' | 'pausedMs' | 'resumingAt'> => ({
  paused: undefined,
  pausedMs: paused === undefined ? pausedMs : (pausedMs ?? 0) + Date.parse(at) - Date.parse(paused.at),
  resumingAt: undefined,
});

/** Resumes a paused batch where it was; `halt` counts from here, or it would pause the batch again at once. */
export const resuming = (row: BatchRow, resumingAt: string): BatchRow => ({
  ...row,
  ...endingPause(row, resumingAt),
  state: row.startedAt === undefined ? 'queued' : 'running',
  resumes: (row.resumes ?? 0) + 1,
  resumingAt,
  haltFrom: { succeeded: row.succeeded, dead: row.dead },
});
