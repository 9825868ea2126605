import { describe, expect, it } from 'vitest';
import { storageOperations } from '../../../shared/contract/operations.ts';
import { batchSpending, planOf } from '../../../shared/cost/batch-operations.ts';

describe('the operations of a batch', () => {
  // 21 + s' + 3c + 2[c > 1] for a batch that its only round collects; otherwise 17 + s' + ceil(c/98) + [c > 98]
  // ceil(c/1000) + 4c + 6p + 9r + 7t - 3[t = 1], calculated manually.
  it.each([
    // one chunk: c 1, s 1, p 1, r 1, t 1
    [{ items: 1, itemsPerChunk: 5_000 }, 25, 5],
    // c 20, s 1, p 1, r 1, t 1
    [{ items: 100_000, itemsPerChunk: 5_000 }, 84, 5],
    // c 200, s 3, p 1, r 7, t 1
    [{ items: 1_000_000, itemsPerChunk: 5_000 }, 898, 10],
    // c 200, s 3, p 4, r 7, t 4: 17 + 4 + 3 + 1 + 800 + 24 + 63 + 28; actions 5 + 2 * 5 + 10
    [{ items: 1_000_000, itemsPerChunk: 5_000, queues: 4 }, 940, 25],
    // c 2, p 2 of 8, s 1, r 2, t 2: 17 + 1 + 1 + 8 + 12 + 18 + 14; actions 3 + 2 * 3 + 6
    [{ items: 10, itemsPerChunk: 5, queues: 8 }, 71, 15],
  ])('for %j are %d on storage, and %d actions', (shape, storage, actions) => {
    const spent = batchSpending(shape);
    expect([storageOperations(spent), spent['durable.action']]).toEqual([storage, actions]);
  });

  it('depend on dequeue tasks that are planned by work, not by messages', () => {
    const plan = planOf({ items: 3_000, itemsPerChunk: 1, secondsPerChunk: 1 });

    expect(plan).toMatchObject({ chunks: 3_000, blocks: 1, queues: 1, tasks: 100, rounds: 94, isCollectedHere: false });
  });

  it('include actions and executions: 7 for one chunk, one of which waits for more work at its end', () => {
    const spent = batchSpending({ items: 1, itemsPerChunk: 1 });

    // The upload, a wake, a start, a task, and the end of a wave with two episodes.
    expect([spent['durable.action'], spent['functions.execution']]).toEqual([5, 7]);
    // 6 of one second and one of 1.1 s, at 2 GB.
    expect(spent['functions.gbSecond']).toBeCloseTo(2 * (6 + 1.1), 9);
  });

  it('count events separately from storage', () => {
    const operations = batchSpending({ items: 1, itemsPerChunk: 1 });

    // One wake event, QueueEmpty and BatchCompleted.
    expect([operations['servicebus.send'], operations['servicebus.receive']]).toEqual([3, 1]);
  });
});
