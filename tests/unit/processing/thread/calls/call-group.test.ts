import { setTimeout as sleep } from 'node:timers/promises';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { errorLine } from '../../../../../shared/processing/outcome/error-text.ts';
import { IN_FLIGHT } from '../../../../../shared/processing/thread/thread-status.ts';
import { taskOf } from '../../../../../shared/processing/threads/process-chunk.ts';
import { defineWorkload, type ItemContext, type Workload } from '../../../../../shared/workload/define.ts';
import { Reject } from '../../../../../shared/workload/errors.ts';
import { NOW_MS, retriesJob } from '../../../../helpers/data/chunks.ts';
import { type Item, ids, item, run } from '../../../../helpers/threads/run-chunk.ts';

describe('mapChunk', () => {
  const whole = (mapChunk: (items: Item[], contexts: ItemContext[]) => unknown): Workload =>
    defineWorkload({
      name: 'each',
      version: 3,
      item,
      mapChunk: mapChunk as never,
      retry: { attempts: 3 },
      timeoutSeconds: 0.05,
    });

  it('gets the valid items in one call, and an error in the place of a result fails only that item', async () => {
    const calls: number[][] = [];
    const workload = whole((items, contexts) => {
      calls.push(contexts.map(({ position }) => position));
      return items.map(({ id }) => (id === 3 ? new Reject('not 3') : id));
    });
    const { results, dead } = await run(workload, ids(1, 'x', 3, 4));
    expect(calls).toEqual([[100, 102, 103]]);
    expect(results).toEqual([1, 4]);
    expect(dead.map(({ index, reason }) => [index, reason])).toEqual([
      [101, 'invalid'],
      [102, 'rejected'],
    ]);
  });

  it('gets the items in their order from an asynchronous schema, without the invalid ones', async () => {
    const slow: StandardSchemaV1<unknown, Item> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async (value) => {
          const { id } = value as Item;
          await sleep(id === 1 ? 5 : 0);
          return id === 2 ? { issues: [{ message: 'not 2' }] } : { value: { id } };
        },
      },
    };
    const workload = { ...whole((items) => items.map(({ id }) => id)), item: slow };

    const { results, dead } = await run(workload, ids(1, 2, 3));

    expect(results).toEqual([1, 3]);
    expect(dead.map(({ index, reason }) => [index, reason])).toEqual([[101, 'invalid']]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('all of them')), 'Error: all of them'],
    ['returns too few', () => [1], 'TypeError: mapChunk must return one result for each of its 2 items, got 1.'],
    ['returns no list', () => 7, 'TypeError: mapChunk must return one result for each of its 2 items, got number.'],
    ['hangs', () => new Promise(() => {}), 'TimeoutError: timed out after 0.05 s'],
  ])('fails all items for retry when it %s', async (_, mapChunk, message) => {
    const { retries, failures } = await run(whole(mapChunk), ids(1, 2));
    expect(retries.map(({ attempts }) => attempts.map(({ error }) => errorLine(error)))).toEqual([
      [message],
      [message],
    ]);
    expect(failures).toBe(2);
  });

  it('runs several groups at the same time, with results and failures per item', async () => {
    const calls: number[][] = [];
    let inFlight = 0;
    let most = 0;
    const mapChunk = async (items: Item[]) => {
      calls.push(items.map(({ id }) => id));
      inFlight += 1;
      most = Math.max(most, inFlight);
      await sleep(10 / items.length);
      inFlight -= 1;
      return items.map(({ id }) => (id === 4 ? new Reject('not 4') : id));
    };
    const workload = defineWorkload({
      ...{ name: 'each', version: 3, item, mapChunk, timeoutSeconds: 1 },
      ...{ group: { maxItems: 3 }, concurrency: 2 },
    });
    const { results, dead } = await run(workload, ids(1, 2, 'x', 4, 5, 6, 7));
    expect(calls).toEqual([[1, 2], [4, 5, 6], [7]]);
    expect(most).toBe(2);
    expect(results).toEqual([1, 2, 5, 6, 7]);
    expect(dead.map(({ index }) => index)).toEqual([102, 103]);
  });

  it('gets one item alone to find the item that ends the thread', async () => {
    const calls: number[] = [];
    const workload = whole(async (items) => {
      calls.push(items.length);
      return items.map(({ id }) => (id === 2 ? new Reject('no') : id));
    });
    const lines = [1, 2, 3].map((id) => ({ index: id, attempts: [], rerun: 'alone' as const, item: { id } }));
    const { results, dead } = await run(workload, retriesJob(lines, NOW_MS));
    expect(calls).toEqual([1, 1, 1]);
    expect(results).toEqual([1, 3]);
    expect(dead[0]).toMatchObject({ index: 2, reason: 'rejected' });
  });

  it('is not called without a valid item', async () => {
    const { header } = await run(
      whole(() => Promise.reject(new Error('called'))),
      ids('x'),
    );
    expect(header.counts).toMatchObject({ items: 1, dead: 1 });
  });

  it('runs one group at a time when it is synchronous', async () => {
    const inFlight: number[] = [];
    const workload = defineWorkload({
      ...{ name: 'each', version: 3, item, group: { maxItems: 2 }, concurrency: 8 },
      mapChunk: (items: Item[]) => {
        inFlight.push(task.statusBuffer.items.filter((state) => state === IN_FLIGHT).length);
        return items.map(({ id }) => id);
      },
    });
    const task = taskOf(ids(1, 2, 3, 4, 5), 60_000);
    const { results } = await run(workload, ids(1, 2, 3, 4, 5), { statusBuffer: task.statusBuffer });
    expect(results).toEqual([1, 2, 3, 4, 5]);
    expect(inFlight).toEqual([2, 2, 1]);
  });

  it.each([
    ['cancelled', { cancelled: 3, retried: 0 }],
    ['returned', { cancelled: 0, retried: 3 }],
  ] as const)('is not charged for an answer after its stop: %s', async (reason, counts) => {
    const stop = new AbortController();
    const workload = defineWorkload({
      ...{ name: 'each', version: 3, item, timeoutSeconds: 60 },
      mapChunk: async (items: Item[], contexts) => {
        setTimeout(() => stop.abort(reason), 10);
        const ended = sleep(10_000, undefined, { signal: contexts[0]?.signal });
        const error = await ended.catch((thrown: unknown) => new Error('aborted', { cause: thrown }));
        return items.map(() => error as Error);
      },
    });
    const { header, failures, retries } = await run(workload, { ...ids(1, 2, 3), stop: stop.signal });
    expect(header.counts).toMatchObject({ succeeded: 0, dead: 0, ...counts });
    expect(failures).toBe(0);
    expect(retries.every(({ attempts }) => attempts.length === 0)).toBe(true);
  });
});
