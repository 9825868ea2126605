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
    ['that ends late at its pace', { succeeded: 20 }, '02:00'],
    ['that ends late at its pace, after a quarter of its time', { succeeded: 20 }, '01:15'],
    ['whose items, dead letters included, end too slowly', { dead: 20 }, '02:00'],
    ['of which nothing has ended after most of its time', { state: 'queued' }, '04:00'],
    ['that is paused for most of its time', { state: 'paused', succeeded: 90 }, '04:00'],
    ['that has missed its deadline', { succeeded: 99 }, '06:00'],
    [
      'that is not running and is checked next after its deadline',
      { state: 'queued' },
      '01:30',
      { nextCheckMs: ms('16:30') },
    ],
    ['that is not running, although it was fast before', { succeeded: 90 }, '01:30', { nextCheckMs: ms('16:30') }],
    ['that ends late at the pace of its running chunks', {}, '02:00', { progress: running(20, '02:00') }],
    ['that is redriven, by the times of its revision', { revision: 1, succeeded: 80, revisionItems: 20 }, '04:00'],
  ])('%s', (_what, row, clock, facts = {}) => {
    expect(isAtRisk(batch(row), { nowMs: ms(clock), ...facts })).toBe(true);
  });
});

describe('a batch is not at risk', () => {
  test.each<Case>([
    ['that ends in time at its pace', { succeeded: 80 }, '04:00'],
    ['whose instances may be starting', { succeeded: 1 }, '01:14'],
    ['of which nothing has ended yet', { state: 'queued' }, '03:59'],
    ['whose risk was found before', { succeeded: 20, atRiskAt: at('01:30') }, '02:00'],
    ['that is finished', { state: 'completed', succeeded: 100, chunksDone: 10 }, '06:00'],
    ['of which everything has ended', { succeeded: 100, chunksDone: 10 }, '06:00'],
    ['that is being cancelled', { state: 'cancelling', succeeded: 20 }, '06:00'],
    [
      'that ends in time at the pace of its running chunks',
      { succeeded: 5 },
      '02:00',
      { progress: running(60, '02:00') },
    ],
    ['that is not running, but may start in time', { state: 'queued' }, '01:14', { nextCheckMs: ms('16:14') }],
    ['that is not running, but is checked again in time', { state: 'queued' }, '02:00', { nextCheckMs: ms('03:00') }],
    ['that was slow only because of a pause', { succeeded: 30, pausedMs: 60_000 }, '02:00'],
  ])('%s', (_what, row, clock, facts = {}) => {
    expect(isAtRisk(batch(row), { nowMs: ms(clock), ...facts })).toBe(false);
  });
});

test('the details of the event count items in running chunks, and contain the end at the present pace', () => {
  const facts = { nowMs: ms('02:00'), progress: running(10, '02:00') };

  expect(riskOf(batch({ succeeded: 8, dead: 2 }), facts)).toEqual({
    ...{ deadlineAt: at('05:00'), expectedAt: at('10:00'), ended: 20, items: 100, revision: 0 },
  });
});

test.each<[string, Parameters<typeof batch>[0], Partial<RiskFacts>]>([
  ['nothing has ended', {}, {}],
  ['it is paused', { state: 'paused', succeeded: 20 }, {}],
  ['it is not running', { succeeded: 20 }, { nextCheckMs: ms('16:30') }],
])('the details contain no expected end if %s', (_what, row, facts) => {
  expect(riskOf(batch(row), { nowMs: ms('04:00'), ...facts }).expectedAt).toBeNull();
});
