import { describe, expect, test } from 'vitest';
import { isAtRisk, type RiskFacts, riskOf } from '../../../../shared/batches/progress/deadline-risk.ts';
import type { BatchProgress } from '../../../../shared/batches/progress/progress-rows.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';

const at = (clock: string): string => `2026-01-01T00:${clock}.000Z`;
const ms = (clock: string): number => Date.parse(at(clock));
/** Opened and queued at 00:00, due at 05:00. */
const batch = (fields: Parameters<typeof batchRowOf>[0] = {}) =>
  batchRowOf({ state: 'running', accepted: 100, chunksTotal: 10, queuedAt: at('00:00'), ...fields });
const running = (ended: number, clock: string): BatchProgress[] => [
  { chunks: 1, items: 50, ended, inFlight: 1, failing: 0, at: at(clock) },
];

type Case = [what: string, row: Parameters<typeof batch>[0], clock: string, facts?: Partial<RiskFacts>];

describe('a batch is at risk', () => {
  test.each<Case>([
    ['whose pace ends it late', { succeeded: 20 }, '02:00'],
    ['whose pace ends it late, from a quarter of its time on', { succeeded: 20 }, '01:15'],
    ['whose dead letters, too, come too slowly', { dead: 20 }, '02:00'],
    ['of which nothing has ended in most of its time', { state: 'queued' }, '04:00'],
    ['that is paused for most of its time', { state: 'paused', succeeded: 90 }, '04:00'],
    ['that has missed it', { succeeded: 99 }, '06:00'],
    ['that stands still until after it', { state: 'queued' }, '01:30', { nextCheckMs: ms('16:30') }],
    ['that stands still, however fast it was before', { succeeded: 90 }, '01:30', { nextCheckMs: ms('16:30') }],
    ['whose running chunks end it late', {}, '02:00', { progress: running(20, '02:00') }],
    ['that is redriven, by its own times', { revision: 1, succeeded: 80, revisionItems: 20 }, '04:00'],
  ])('%s', (_what, row, clock, facts = {}) => {
    expect(isAtRisk(batch(row), { nowMs: ms(clock), ...facts })).toBe(true);
  });
});

describe('a batch is not at risk', () => {
  test.each<Case>([
    ['whose pace ends it in time', { succeeded: 80 }, '04:00'],
    ['whose instances may be starting', { succeeded: 1 }, '01:14'],
    ['of which nothing has ended yet', { state: 'queued' }, '03:59'],
    ['that is found to be already', { succeeded: 20, atRiskAt: at('01:30') }, '02:00'],
    ['that is finished', { state: 'completed', succeeded: 100, chunksDone: 10 }, '06:00'],
    ['of which everything has ended', { succeeded: 100, chunksDone: 10 }, '06:00'],
    ['that is being cancelled', { state: 'cancelling', succeeded: 20 }, '06:00'],
    ['whose running chunks end it in time', { succeeded: 5 }, '02:00', { progress: running(60, '02:00') }],
    ['that stands still, but may begin', { state: 'queued' }, '01:14', { nextCheckMs: ms('16:14') }],
    ['that stands still, but is looked at again in time', { state: 'queued' }, '02:00', { nextCheckMs: ms('03:00') }],
    ['whose time before was lost to a pause', { succeeded: 30, pausedMs: 60_000 }, '02:00'],
  ])('%s', (_what, row, clock, facts = {}) => {
    expect(isAtRisk(batch(row), { nowMs: ms(clock), ...facts })).toBe(false);
  });
});

test('what is said of it counts items in running chunks, and expects the end by its pace', () => {
  const facts = { nowMs: ms('02:00'), progress: running(10, '02:00') };

  expect(riskOf(batch({ succeeded: 8, dead: 2 }), facts)).toEqual({
    ...{ deadlineAt: at('05:00'), expectedAt: at('10:00'), ended: 20, items: 100, revision: 0 },
  });
});

test.each<[string, Parameters<typeof batch>[0], Partial<RiskFacts>]>([
  ['nothing has ended', {}, {}],
  ['it is paused', { state: 'paused', succeeded: 20 }, {}],
  ['it stands still', { succeeded: 20 }, { nextCheckMs: ms('16:30') }],
])('no end is expected where %s', (_what, row, facts) => {
  expect(riskOf(batch(row), { nowMs: ms('04:00'), ...facts }).expectedAt).toBeNull();
});
