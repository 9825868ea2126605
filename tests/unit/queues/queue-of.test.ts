import { expect, test } from 'vitest';
import { z } from 'zod';
import { newBatchId } from '../../../shared/contract/names.ts';
import { queueOf, queueOffsetOf, queuesOf } from '../../../shared/queues/queue-of.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { BATCH } from '../../helpers/data/factories.ts';

const withQueues = (queuesPerLane: number) =>
  defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item, queuesPerLane });
const choice = (queueOffset?: number) => ({ lane: 'normal', queueOffset });

test.each([
  ['000005', 1],
  ['000005.r3', 1],
  ['000004.s07.r1', 0],
  ['v0001.000003', 1],
])('chunk %s of a batch of an earlier version, without an offset, stays in queue %i of its lane', (chunk, index) => {
  expect(queueOf(withQueues(2), { lane: 'normal' }, chunk)).toBe(`billing-normal-${index}`);
});

test.each(['000001', '000001.r3', '000001.s07.r1', 'v0001.000001'])(
  'chunk %s follows the offset of its batch',
  (chunk) => {
    expect(queueOf(withQueues(5), choice(65_534), chunk)).toBe('billing-normal-0');
    expect(queueOf(withQueues(5), choice(65_535), chunk)).toBe('billing-normal-1');
  },
);

test.each([2, 3, 5, 32])('batches of one chunk are spread evenly over %i queues of a lane', (queues) => {
  const counts = new Map<string, number>();
  for (let n = 0; n < queues * 400; n++) {
    const queue = queueOf(withQueues(queues), choice(queueOffsetOf(newBatchId(1_767_225_600_000 + n))), '000000');
    counts.set(queue, (counts.get(queue) ?? 0) + 1);
  }

  expect(counts.size).toBe(queues);
  // 400 expected per queue, with a standard deviation of less than 20: ten of those.
  for (const count of counts.values()) expect(Math.abs(count - 400)).toBeLessThan(200);
});

test('the offset of a batch is a pure function of its id, and fits the column', () => {
  expect(queueOffsetOf(BATCH)).toBe(queueOffsetOf(BATCH));
  expect(queueOffsetOf(BATCH)).toBeGreaterThanOrEqual(0);
  expect(queueOffsetOf(BATCH)).toBeLessThan(2 ** 16);
});

test('the queues of a batch are those of its first chunks, each once', () => {
  expect(queuesOf(withQueues(3), choice(2), 1)).toEqual(['billing-normal-2']);
  expect(queuesOf(withQueues(3), choice(2), 2)).toEqual(['billing-normal-2', 'billing-normal-0']);
  expect(queuesOf(withQueues(3), choice(2), 900)).toEqual(['billing-normal-2', 'billing-normal-0', 'billing-normal-1']);
  expect(queuesOf(withQueues(3), { lane: 'normal' }, 0)).toEqual(['billing-normal-0']);
});
