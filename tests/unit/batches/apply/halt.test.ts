import { expect, test } from 'vitest';
import { haltOf } from '../../../../shared/batches/apply/halt.ts';
import { batchRowOf, headerOf } from '../../../helpers/data/factories.ts';

const at = '2026-01-01T00:01:00.000Z';
const RULE = { halt: { deadShare: 0.5, after: 10 }, at };
const batch = (changes: Parameters<typeof batchRowOf>[0]) =>
  batchRowOf({ state: 'running', accepted: 100, chunksTotal: 10, chunksDone: 2, ...changes });

test.each([
  ['more than the share', batch({ succeeded: 4, dead: 6 }), true],
  ['the share and no more', batch({ succeeded: 5, dead: 5 }), false],
  ['too few items', batch({ succeeded: 0, dead: 9 }), false],
  [
    'items that ended before the last resume do not count',
    batch({ dead: 30, haltFrom: { succeeded: 0, dead: 20 } }),
    true,
  ],
  ['too few since the last resume', batch({ dead: 29, haltFrom: { succeeded: 0, dead: 20 } }), false],
  [
    'many had succeeded before the last resume',
    batch({ succeeded: 60, dead: 10, haltFrom: { succeeded: 60, dead: 0 } }),
    true,
  ],
  ['being accepted', batch({ state: 'enqueueing', dead: 20 }), false],
  ['being cancelled', batch({ state: 'cancelling', dead: 20 }), false],
  ['paused', batch({ state: 'paused', dead: 20 }), false],
  ['nothing is pending', batch({ dead: 20, chunksDone: 10 }), false],
])('the halt rule decides whether a batch is paused: %s', (_what, row, isHalted) => {
  expect(haltOf(row, [], RULE) !== undefined).toBe(isHalted);
  expect(haltOf(row, [], { halt: undefined, at })).toBeUndefined();
});

test('the reason contains the counts and the most common cause, on one line', () => {
  const ends = [{ a: 1, 'b\nc': 3 }, { a: 1 }].map((causes) => headerOf({ dead: 1 }, { causes }));

  expect(haltOf(batch({ succeeded: 4, dead: 6 }), ends, RULE)).toEqual({
    by: 'halt',
    at,
    reason:
      '6 of 10 items that ended are dead letters, more than the fraction of 0.5 that halt allows; most often: b c',
  });
});
