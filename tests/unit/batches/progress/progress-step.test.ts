import { expect, test } from 'vitest';
import type { BatchRow } from '../../../../shared/batches/batch-row.ts';
import { progressStep } from '../../../../shared/batches/progress/progress-step.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';

const OPENED = '2026-01-01T00:00:00.000Z';
const MINUTE_LATER = '2026-01-01T00:01:00.000Z';

/** A batch of 1,000 items in 100 chunks, of which `succeeded` have ended. */
const batchAt = (succeeded: number, fields: Partial<BatchRow> = {}): BatchRow =>
  batchRowOf({
    ...{ state: 'running', accepted: 1_000, succeeded, openedAt: OPENED },
    ...{ chunksTotal: 100, chunksDone: Math.floor(succeeded / 10), ...fields },
  });
const percentOf = (batch: BatchRow, at = MINUTE_LATER): number | undefined => progressStep(batch, at)?.progressPercent;

test.each([
  [0, undefined],
  [249, undefined],
  [250, 25],
  [499, 25],
  [500, 50],
  [749, 50],
  [750, 75],
  [990, 75],
])('of 1,000 items %i have ended: %s', (ended, percent) => {
  expect(percentOf(batchAt(ended))).toBe(percent);
});

test('every kind of end counts, and the time is recorded', () => {
  const batch = batchAt(100, { dead: 100, cancelled: 50 });

  expect(progressStep(batch, MINUTE_LATER)).toEqual({ progressPercent: 25, progressAt: MINUTE_LATER });
});

test.each([
  ['in the first minute of a revision', {}, '2026-01-01T00:00:59.999Z'],
  [
    'within a minute of the previous step',
    { progressPercent: 25, progressAt: '2026-01-01T00:00:00.001Z' },
    MINUTE_LATER,
  ],
  ['when the clock went back', { progressPercent: 25, progressAt: '2026-01-01T01:00:00.000Z' }, MINUTE_LATER],
  ['for a threshold that was passed before', { progressPercent: 50, progressAt: OPENED }, MINUTE_LATER],
  ['while the batch is cancelled', { state: 'cancelling' }, MINUTE_LATER],
  ['when nothing is pending', { chunksDone: 100 }, MINUTE_LATER],
] as const)('there is no step %s', (_when, fields, at) => {
  expect(percentOf(batchAt(500, fields), at)).toBeUndefined();
});

test('one minute after the previous step, the highest threshold that was passed is next', () => {
  expect(percentOf(batchAt(800, { progressPercent: 25, progressAt: OPENED }))).toBe(75);
});

test('a redriven revision counts only its own items', () => {
  const redriven = { revision: 1, revisionItems: 40, chunksTotal: 102 };

  expect(percentOf(batchAt(969, redriven))).toBeUndefined();
  expect(percentOf(batchAt(970, redriven))).toBe(25);
});
