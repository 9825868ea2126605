import { describe, expect, test } from 'vitest';
import {
  batchDate,
  batchTimeMs,
  chunkId,
  isBatchId,
  isLaneName,
  isPoolName,
  isWorkloadName,
  newBatchId,
  outcomeBlobName,
  poisonQueueName,
  queueName,
  redriveChunkId,
  reportBlobName,
  resultsQueueName,
  retryChunkId,
  splitChunkId,
} from '../../../shared/contract/names.ts';

const BATCH = '01985a00-0000-7000-8000-000000000000';

test.each([
  ['billing', true],
  ['card-fees-2', true],
  ['Billing', false],
  ['2fees', false],
  ['fees-', false],
  ['a--b', false],
  ['a_b', false],
  ['', false],
])('workload name %j: %s', (name, valid) => {
  expect(isWorkloadName(name)).toBe(valid);
});

test.each([
  ['normal', true],
  ['high2', true],
  ['results', false],
  ['poison', false],
  ['two-words', false],
])('lane name %j: %s', (name, valid) => {
  expect(isLaneName(name)).toBe(valid);
});

test('a pool name is one short word', () => {
  expect(['default', 'heavy2', 'a'.repeat(21), 'two-words'].map(isPoolName)).toEqual([true, true, false, false]);
});

describe('batch ids', () => {
  test('contain their time and sort by it', () => {
    const [earlier, later] = [newBatchId(Date.UTC(2026, 0, 1)), newBatchId(Date.UTC(2026, 0, 2))];

    expect(batchTimeMs(earlier)).toBe(1_767_225_600_000);
    expect(batchDate(later)).toBe('2026-01-02');
    expect(earlier < later).toBe(true);
  });

  test('are different UUIDs of version 7', () => {
    const ids = Array.from({ length: 100 }, () => newBatchId(0));

    expect(ids.every(isBatchId)).toBe(true);
    expect(new Set(ids).size).toBe(100);
  });

  test.each(['open', `${BATCH}/x`, BATCH.replace('5a', '5A'), BATCH.replace('-7', '-4')])('exclude %s', (id) => {
    expect(isBatchId(id)).toBe(false);
  });
});

test('the name of a queue contains workload, lane and index', () => {
  expect([queueName('billing', 'high', 3), resultsQueueName('billing'), poisonQueueName('billing')]).toEqual([
    'billing-high-3',
    'billing-results',
    'billing-poison',
  ]);
});

test('chunk ids show the origin of a chunk', () => {
  expect(chunkId(12)).toBe('000012');
  expect(retryChunkId('000012')).toBe('000012.r1');
  expect(retryChunkId('000012.r9')).toBe('000012.r10');
  expect(retryChunkId('000012.s03')).toBe('000012.s03.r1');
  expect(splitChunkId('000012.r2', 7)).toBe('000012.r2.s07');
  expect(redriveChunkId(2, 5)).toBe('v0002.000005');
});

test('blob names form one Hive partition per day, with the date from the id', () => {
  expect(outcomeBlobName('billing', BATCH, '000012.r1')).toBe(
    `workload=billing/date=2025-07-30/batch=${BATCH}/000012.r1.ndjson.zst`,
  );
  expect(reportBlobName(BATCH, 3)).toBe(`${BATCH}/0003.ndjson.zst`);
});
