import { expect, test } from 'vitest';
import { followUps } from '../../../../shared/batches/apply/follow-ups.ts';
import { BATCH, headerOf, referenceOf } from '../../../helpers/data/factories.ts';

test('a chunk without retries or parts has no follow-ups', () => {
  expect(followUps(referenceOf(), headerOf({ dead: 2 }))).toEqual([]);
});

test.each([
  ['000000', '000000.r1'],
  ['000000.r1', '000000.r2'],
  ['000000.r9', '000000.r10'],
  ['000000.s01', '000000.s01.r1'],
])('the retries of %s become chunk %s, whose frame is in the outcome', (chunk, expected) => {
  const header = headerOf({ retried: 2 }, { dueAt: '2026-01-01T00:00:05.000Z' });

  const [row, ...more] = followUps(referenceOf({ chunk, starts: 1, resent: true }), header);

  expect(more).toEqual([]);
  expect(row).toMatchObject({
    batch: BATCH,
    chunk: expected,
    state: 'pending',
    items: 2,
    dueAt: '2026-01-01T00:00:05.000Z',
  });
  expect(row?.reference).toMatchObject({
    chunk: expected,
    kind: 'retries',
    container: 'results',
    // 01985a00-0000 is 2025-07-30: the date is that of the batch, not of the clock.
    blob: `workload=billing/date=2025-07-30/batch=${BATCH}/${chunk}.ndjson.zst`,
    offset: 200,
    length: 50,
    bytes: 90,
    items: 2,
    firstItem: 0,
  });
  expect(row?.reference).not.toHaveProperty('starts');
  expect(row?.reference).not.toHaveProperty('resent');
});

test('the parts of a split are ranges of the same frame', () => {
  const header = headerOf(
    { succeeded: 0 },
    {
      ending: 'split',
      parts: [
        [0, 2],
        [2, 2],
      ],
    },
  );

  const rows = followUps(referenceOf({ skip: 0, take: 4, starts: 2 }), header);

  expect(rows.map(({ chunk, items }) => [chunk, items])).toEqual([
    ['000000.s00', 2],
    ['000000.s01', 2],
  ]);
  expect(rows[1]?.reference).toMatchObject({ container: 'payloads', offset: 0, length: 100, skip: 2, take: 2 });
  expect(rows[1]?.reference).not.toHaveProperty('starts');
});

test('every repeat returns the same rows', () => {
  const [reference, header] = [referenceOf(), headerOf({ retried: 1 })];

  expect(followUps(reference, header)).toEqual(followUps(reference, header));
});
