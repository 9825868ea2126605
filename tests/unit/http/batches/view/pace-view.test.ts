import { expect, test } from 'vitest';
import { z } from 'zod';
import type { BatchRow } from '../../../../../shared/batches/batch-row.ts';
import { pausing, resuming } from '../../../../../shared/batches/pause.ts';
import type { BatchProgress } from '../../../../../shared/batches/progress/progress-rows.ts';
import { defineWorkload } from '../../../../../shared/workload/define.ts';
import { batchRowOf } from '../../../../helpers/data/factories.ts';
import { at, redriven, uploaded, view } from './view-fixtures.ts';

const running = batchRowOf({
  ...{ state: 'running', accepted: 10_000, succeeded: 1_000 },
  ...{ queuedAt: at('00:00:00'), startedAt: at('00:01:00') },
});
const progress: BatchProgress = {
  ...{ chunks: 2, items: 2_000, ended: 500, inFlight: 32, failing: 7, error: 'Error: busy' },
  at: at('00:01:40'),
};

test('the rate and the estimate of a redrive are computed from its own items and time', () => {
  expect(view(uploaded, '01:00:00')).toMatchObject({ ratePerSecond: 100 });
  expect(view(uploaded, '01:00:00')).not.toHaveProperty('estimate');

  expect(view(redriven, '02:00:05')).toMatchObject({
    ratePerSecond: 10,
    estimate: {
      completesAt: at('02:00:10'),
      basis: '50 of 100 items have ended in the first 5 s after the redrive was queued',
    },
  });
});

test('a cancelled batch has no rate, because its cancelled items were not processed', () => {
  expect(view({ ...uploaded, state: 'cancelled' }, '01:00:00').ratePerSecond).toBeNull();
});

test('a batch with long first chunks has an estimate before any of them is finished', () => {
  const first = batchRowOf({ state: 'queued', accepted: 1_000, queuedAt: at('00:00:00') });

  expect(view(first, '00:01:40', { progress }).estimate?.completesAt).toBe(at('00:03:20'));
  expect(view(first, '00:01:40')).not.toHaveProperty('estimate');
});

test('between two counts, rate and estimate stay the same, but no estimate is in the past', () => {
  const first = view(running, '00:01:40', { progress });

  expect(view(running, '00:01:49', { progress })).toMatchObject({ ratePerSecond: 15, estimate: first.estimate });
  const nearlyDone = { ...running, succeeded: 9_500 };
  expect(view(nearlyDone, '00:01:49', { progress }).estimate?.completesAt).toBe(at('00:01:49'));
});

test('a count from before the batch was queued is not used for the rate', () => {
  const early = { ...progress, at: at('00:00:00') };

  expect(view(running, '00:01:40', { progress: early }).ratePerSecond).toBe(15);
});

test('a rate of less than ten items per second is not rounded to an integer', () => {
  const slow = batchRowOf({ state: 'running', accepted: 100, succeeded: 1, queuedAt: at('00:00:00') });

  expect(view(slow, '00:00:30').ratePerSecond).toBe(0.033);
});

const half = batchRowOf({ state: 'running', accepted: 100, succeeded: 50, queuedAt: at('00:00:00') });

test('the time in which a batch was paused is excluded from its rate and estimate', () => {
  const paused = { by: 'operator', reason: 'audit', at: at('00:00:10') } as const;
  const waiting: BatchRow = { ...half, state: 'paused', paused };
  const resumed = resuming(
    pausing(resuming(waiting, at('01:00:10')), { ...paused, at: at('01:00:15') }),
    at('02:00:15'),
  );

  expect(view(waiting, '00:30:00').ratePerSecond).toBe(5);
  expect(view(waiting, '00:30:00')).not.toHaveProperty('estimate');
  expect(view({ ...resumed, succeeded: 80 }, '02:00:16')).toMatchObject({
    ratePerSecond: 5,
    estimate: {
      completesAt: at('02:00:20'),
      basis:
        '80 of 100 items have ended in the first 16 s after the batch was queued, without the time that it was paused',
    },
  });
});

test('a count of running chunks from before a resume is not used for the rate', () => {
  const resumed = { ...half, pausedMs: 60_000 };
  const early = { ...progress, ended: 10, at: at('00:00:59') };

  expect(view(resumed, '00:01:06', { progress: early }).ratePerSecond).toBe(10);
});

const blocked = { queue: 'billing-normal-0', since: at('00:00:00'), reason: 'paused by an operator: audit' };
test.each<[string, Parameters<typeof view>]>([
  ['is being cancelled', [{ ...running, state: 'cancelling' }, '00:01:40']],
  ['is finished', [{ ...running, state: 'completed', succeeded: 10_000, completedAt: at('00:01:00') }, '00:01:40']],
  ['waits for a paused queue', [running, '00:01:40', { blocked }]],
  ['would take more than a year', [{ ...running, accepted: 1e9, succeeded: 1, revisionItems: 1e9 }, '00:01:40']],
])('there is no estimate for a batch that %s', (_what, args) => {
  expect(view(...args)).not.toHaveProperty('estimate');
});

test('a blocked batch has no rate, which would be that of an earlier time', () => {
  expect(view(half, '00:00:10').ratePerSecond).toBe(5);
  expect(view(half, '00:00:10', { blocked })).toMatchObject({ ratePerSecond: null, blocked });
});

test.each([
  [{ rateLimit: { items: 600, perSeconds: 60 } }, '600 items per 60 s', at('00:17:22')],
  [
    { rateLimit: { calls: 6, perSeconds: 60 }, group: { maxItems: 200 } },
    '6 calls, each of at most 200 items, per 60 s',
    at('00:08:41'),
  ],
])('until an item has ended, the estimate is based on the rate limit of the workload: %j', (limits, words, then) => {
  const many = { name: 'mail', version: 1, item: z.unknown(), mapChunk: (items: unknown[]) => items };
  const deployed = defineWorkload({ ...many, group: { maxItems: 1 }, ...limits });
  const first = batchRowOf({ state: 'queued', accepted: 10_000, queuedAt: at('00:00:00') });

  const { ratePerSecond, estimate } = view(first, '00:00:01', { deployed });

  expect(ratePerSecond).toBe(0);
  expect(estimate).toEqual({
    completesAt: expect.stringContaining(then.slice(0, 19)),
    basis: `no item has ended yet; at the rate limit of ${words}, for this batch alone`,
  });
  expect(view({ ...first, succeeded: 1 }, '00:00:01', { deployed }).estimate?.basis).toContain('1 of 10,000 items');
});
