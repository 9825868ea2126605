import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createStrictFold, partialLine } from '../../../../shared/processing/outcome/fold.ts';
import { ids, type MapItem, run, workloadOf } from '../../../helpers/threads/run-chunk.ts';

describe('reduce', () => {
  const reduce = {
    key: (id: number) => (id === 4 ? (7 as unknown as string) : id % 2 ? 'odd' : 'even'),
    init: () => ({ sum: 0 }),
    add: (acc: { sum: number }, id: number) => {
      if (id === 5) throw new Error('cannot add');
      return { sum: acc.sum + id };
    },
    merge: (a: { sum: number }, b: { sum: number }) => ({ sum: a.sum + b.sum }),
  };
  const sum = (map: MapItem) => workloadOf(map, { reduce });

  it('folds the results by key, sorted', async () => {
    const { partial } = await run(
      sum((one) => one.id),
      ids(1, 2, 3, 6),
    );
    expect(partial).toEqual([
      { key: 'even', value: { sum: 8 } },
      { key: 'odd', value: { sum: 4 } },
    ]);
  });

  const later = async () => ({ sum: 1 });
  it.each([
    ['key throws', {}, 4, 'TypeError: reduce.key must return a string or an array of strings, got number.'],
    ['add throws', {}, 5, 'Error: cannot add'],
    ['add returns a promise', { add: later as never }, 6, 'TypeError: reduce.add must be synchronous, but returned a'],
    ['a value cannot be written', { add: () => 1n as never }, 6, 'TypeError: report.even is a bigint'],
  ])('keeps the results of items when %s, and reports what was thrown', async (_what, change, id, failed) => {
    const workload = workloadOf((one) => one.id, { reduce: { ...reduce, ...change } });

    const { header, results, partial, retries, failures } = await run(workload, ids(1, id, 2));

    expect(header.counts).toEqual({ items: 3, succeeded: 3, dead: 0, cancelled: 0, retried: 0 });
    expect([results, retries, failures]).toEqual([[1, id, 2], [], 0]);
    expect(partial).toEqual([{ failed: expect.stringContaining(failed) }]);
  });

  it('receives results as in their JSON, in whatever order they end', async () => {
    const seen: unknown[] = [];
    const keeping = {
      ...reduce,
      key: () => 'all',
      add: (acc: { sum: number }, result: unknown) => {
        seen.push(result);
        return acc;
      },
    };
    const map: MapItem = async ({ id }) => {
      await sleep(id === 1 ? 20 : 1);
      return id === 3 ? undefined : { at: new Date(id) };
    };
    await run(workloadOf(map, { reduce: keeping }), ids(1, 2, 3));
    expect(seen).toEqual([{ at: '1970-01-01T00:00:00.001Z' }, { at: '1970-01-01T00:00:00.002Z' }, null]);
  });

  it('reports the key of a value that cannot be written', () => {
    expect(partialLine('ada|EUR', { sum: 1 })).toBe('{"key":"ada|EUR","value":{"sum":1}}');
    expect(() => partialLine('ada|EUR', { sum: Number.NaN })).toThrow('report["ada|EUR"].sum is NaN');
    expect(() => partialLine('ada', undefined)).toThrow('report.ada is undefined');
  });

  it('adds a result to each of its keys, or to none', () => {
    const shares = (acc: unknown, result: unknown, key: string) => {
      if (key === 'c' && result === 3) throw new Error('no share for c');
      return Number(acc) + Number(result);
    };
    const key = (result: unknown) => (result === 2 ? [] : ['a', 'c']);
    const { reduce: full } = workloadOf(() => 1, {
      reduce: { key, init: () => 0, add: shares, merge: shares as never },
    });
    const fold = createStrictFold(full as NonNullable<typeof full>);

    for (const result of [1, 2, 4]) fold.add(result);
    expect(() => fold.add(3)).toThrow('no share for c');

    expect(fold.lines()).toEqual(['{"key":"a","value":5}', '{"key":"c","value":5}']);
  });
});
