import { describe, expect, it } from 'vitest';
import { partialLine } from '../../../../shared/processing/outcome/fold.ts';
import { ids, type MapItem, run, workloadOf } from '../../../helpers/run-chunk.ts';

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

  it('fails the item whose key or add throws, and leaves its result out', async () => {
    const { partial, results, retries } = await run(
      sum((one) => one.id),
      ids(1, 4, 5, 6),
    );
    expect(results).toEqual([1, 6]);
    expect(partial.map(({ value }) => value)).toEqual([{ sum: 6 }, { sum: 1 }]);
    expect(retries.map(({ attempts }) => attempts[0]?.error)).toMatchObject([
      { name: 'TypeError', message: 'reduce.key must return a string or strings, got number.' },
      { name: 'Error', message: 'cannot add' },
    ]);
  });

  it('fails all that was folded when a value cannot be written', async () => {
    const workload = workloadOf((one) => one.id, { reduce: { ...reduce, add: () => 1n } });
    const { header, results, partial, ran, failures, retries } = await run(workload, ids(1, 2));
    expect(header.counts).toEqual({ items: 2, succeeded: 0, dead: 0, cancelled: 0, retried: 2 });
    expect([results, partial, ran, failures]).toEqual([[], [], 2, 2]);
    expect(retries[1]?.attempts[0]?.error.message).toBe('report.even is a bigint');
  });

  it('names the key of a value that cannot be written', () => {
    expect(partialLine('ada|EUR', { sum: 1 })).toBe('{"key":"ada|EUR","value":{"sum":1}}');
    expect(() => partialLine('ada|EUR', { sum: Number.NaN })).toThrow('report["ada|EUR"].sum is NaN');
    expect(() => partialLine('ada', undefined)).toThrow('report.ada is undefined');
  });

  it('adds a result to each of the keys that it names, or to none', async () => {
    const shares = (acc: Record<string, number>, id: number, key: string) => {
      if (key === 'c' && id === 3) throw new Error('no share for c');
      return { ...acc, [key]: (acc[key] ?? 0) + id };
    };
    const all = { ...reduce, key: (id: number) => (id === 2 ? [] : ['a', 'c']), init: () => ({}), add: shares };
    const { partial, results, retries } = await run(
      workloadOf((one) => one.id, { reduce: all }),
      ids(1, 2, 3, 4),
    );
    expect(results).toEqual([1, 2, 4]);
    expect(retries.map(({ index }) => index)).toEqual([102]);
    expect(partial).toEqual([
      { key: 'a', value: { a: 5 } },
      { key: 'c', value: { c: 5 } },
    ]);
  });
});
