import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import { defineWorkload, type ItemContext, type WorkloadOptions } from '../../../shared/workload/define.ts';
import { Retry } from '../../../shared/workload/errors.ts';

const item = z.object({ id: z.number() });
type Item = z.infer<typeof item>;
type Map = (item: Item, context: ItemContext) => unknown;

const reduce = {
  ...{ key: () => 'all', init: () => 0 },
  add: (sum: number) => sum + 1,
  merge: (a: number, b: number) => a + b,
};
const mapping = (map: Map, options: Partial<WorkloadOptions<typeof item, unknown, number>> = {}) =>
  defineWorkload({ name: 'calls', version: 1, item, timeoutSeconds: 5, reduce, ...options, map });
const items = (count: number): Item[] => Array.from({ length: count }, (_, id) => ({ id }));

/** Lets `count` calls wait for the last of them. They then end in the opposite order, and the last one ends last. */
function meetingOf(count: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === count) for (const leave of waiting.splice(0).reverse()) leave();
    });
}

const untilAborted = ({ signal }: ItemContext): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('calls at the same time', () => {
  it('are as many as `concurrency` allows, and results stay in the order of the items', async () => {
    const meeting = meetingOf(4);
    const ended: number[] = [];
    const map = async ({ id }: Item) => {
      await meeting();
      ended.push(id);
      return id;
    };
    const end = await runWorkload(mapping(map, { concurrency: 4 }), items(8));
    expect(end).toMatchObject({ results: [0, 1, 2, 3, 4, 5, 6, 7], maxInFlight: 4, calls: Array(8).fill(1) });
    expect(ended).toEqual([2, 1, 0, 3, 6, 5, 4, 7]);
  });

  it('of mapChunk are groups', async () => {
    const meeting = meetingOf(2);
    const sizes: number[] = [];
    const workload = defineWorkload({
      ...{ name: 'groups', version: 1, item, timeoutSeconds: 5, concurrency: 2, group: { maxItems: 3 } },
      mapChunk: async (group: Item[]) => {
        sizes.push(group.length);
        await meeting();
        return group.map(({ id }) => id);
      },
    });
    const end = await runWorkload(workload, items(10));
    expect(sizes).toEqual([3, 3, 3, 1]);
    expect(end).toMatchObject({ results: items(10).map(({ id }) => id), maxInFlight: 2, calls: Array(10).fill(1) });
  });

  it('do not occur with a synchronous handler', async () => {
    expect(
      await runWorkload(
        mapping(({ id }) => id),
        items(3),
      ),
    ).toMatchObject({ maxInFlight: 1 });
  });

  it('await a query only once, because it would run at each await', async () => {
    let queries = 0;
    // biome-ignore lint/suspicious/noThenProperty: as the queries of some database clients
    const query = { then: (resolve: (rows: number) => void) => resolve(++queries) };
    expect(
      await runWorkload(
        mapping(() => query),
        items(1),
      ),
    ).toMatchObject({ results: [1] });
  });
});

describe('calls by position', () => {
  it('count tries, and are 0 for an item that is not valid', async () => {
    const map: Map = ({ id }, { attempt }) => {
      if (attempt <= id) throw new Error('not yet');
      return id;
    };
    const end = await runWorkload(mapping(map, { chunk: { maxItems: 2 } }), [...items(3), { id: 'x' }]);
    expect(end).toMatchObject({ calls: [1, 2, 3, 0], retried: 3 });
  });
});

describe('a batch that is cancelled', () => {
  it('keeps ended items, and begins no others', async () => {
    const workload = mapping(({ id }) => id, { chunk: { maxItems: 2 } });
    const end = await runWorkload(workload, items(6), { cancelAfterCalls: 3 });
    expect(end).toMatchObject({ results: [0, 1, 2], cancelled: 3, deadLetters: [], report: { all: 3 } });
    expect(end.calls).toEqual([1, 1, 1, 0, 0, 0]);
  });

  it('aborts calls in flight', async () => {
    const map: Map = ({ id }, context) => (id === 0 ? Promise.resolve(id) : untilAborted(context));
    const end = await runWorkload(mapping(map), items(5), { cancelAfterCalls: 3 });
    expect(end).toMatchObject({ results: [0], cancelled: 4, deadLetters: [], calls: [1, 1, 1, 0, 0] });
  });

  it('tries nothing again', async () => {
    const map: Map = ({ id }) => {
      if (id === 0) throw new Retry('busy');
      return id;
    };
    const workload = mapping(map, { chunk: { maxItems: 1 } });
    const end = await runWorkload(workload, items(2), { cancelAfterCalls: 2 });
    expect(end).toMatchObject({ results: [1], cancelled: 1, calls: [1, 1], retried: 0 });
  });

  it('may never have begun', async () => {
    const end = await runWorkload(
      mapping(({ id }) => id),
      items(2),
      { cancelAfterCalls: 0 },
    );
    expect(end).toMatchObject({ results: [], cancelled: 2, calls: [0, 0], maxInFlight: 0 });
  });
});

describe('a handler’s context', () => {
  it('is the same in each run, with the same key and deadline at each attempt', async () => {
    const seen: unknown[] = [];
    const map: Map = (_, { idempotencyKey, deadline, shadow, attempt }) => {
      seen.push([idempotencyKey, deadline.toISOString(), shadow]);
      if (attempt === 1) throw new Retry('busy', { after: 3_600 });
      return null;
    };
    await runWorkload(mapping(map, { deadlineSeconds: 90 }), items(1));
    const first = ['019b76da-a800-7000-8000-000000000000-0', '2026-01-01T00:01:30.000Z', false];
    expect(seen).toEqual([first, first]);
  });
});
