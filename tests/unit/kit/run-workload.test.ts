import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import { defineWorkload, type WorkloadOptions } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import billing from '../../../workloads/billing.ts';
import { transactions } from '../../helpers/data/transactions.ts';

const item = z.object({ id: z.number(), act: z.string().optional() });
type Item = z.infer<typeof item>;
type Options = WorkloadOptions<typeof item, unknown, unknown>;

const tries = defineWorkload({
  name: 'tries',
  version: 2,
  item,
  retry: { attempts: 3 },
  chunk: { maxItems: 4 },
  containers: ['notes'],
  map: async ({ id, act }: Item, { attempt, container, log }) => {
    if (act === 'reject') throw new Reject('no');
    if (act === 'always') throw new Error('boom');
    if (act === 'once' && attempt === 1) throw new Retry('busy', { after: 3_600 });
    if (act === 'note') await container('notes').write(`${id}`, (await container('notes').read('old')) ?? Buffer.of());
    if (act === 'log') log('hello');
    return { id, attempt };
  },
  reduce: {
    key: () => 'all',
    init: () => 0,
    add: (sum: number, { id }: { id: number }) => sum + id,
    merge: (a: number, b: number) => a + b,
  },
});
const acts = (...list: string[]): Item[] => list.map((act, id) => ({ id, act }));

interface Sums {
  sum: number;
  count: number;
}

describe('the kit', () => {
  it('cuts chunks like the pipeline, and returns results, dead letters, retries and the report', async () => {
    const run = await runWorkload(tries, [...acts('', 'once', 'reject', 'always', ''), { id: 'x' }]);
    expect(run.results).toEqual([
      { id: 0, attempt: 1 },
      { id: 1, attempt: 2 },
      { id: 4, attempt: 1 },
    ]);
    expect(run.deadLetters.map(({ index, reason, attempts }) => [index, reason, attempts.length])).toEqual([
      [2, 'rejected', 1],
      [3, 'exhausted', 3],
      [5, 'invalid', 0],
    ]);
    expect(run).toMatchObject({ report: { all: 5 }, retried: 3 });
  });

  it('skips waits, but runs no item before its time', async () => {
    const { deadLetters, chunks } = await runWorkload(tries, acts('once', 'always'));
    const at = deadLetters[0]?.attempts.map((attempt) => attempt.at.slice(0, 19));
    expect(at).toEqual(['2026-01-01T00:00:00', '2026-01-01T00:00:01', '2026-01-01T00:00:03']);
    expect(chunks).toBe(4);
  });

  it('has containers, and does not change the given ones', async () => {
    const notes = { old: Buffer.from('text') };
    const { blobs, log } = await runWorkload(tries, acts('note', 'log'), { blobs: { notes } });
    expect(blobs).toEqual({ notes: { old: Buffer.from('text'), 0: Buffer.from('text') } });
    expect(notes).toEqual({ old: Buffer.from('text') });
    expect(log).toEqual(['hello']);
  });

  it('rejects a report that depends on the order of chunks', async () => {
    const reduce = { key: () => 'k', init: () => '', add: (a: unknown, r: unknown) => `${a}${r}` };
    const options: Options = { name: 'order', version: 1, item, map: ({ id }) => id, chunk: { maxItems: 2 } };
    const order = defineWorkload({ ...options, reduce: { ...reduce, merge: (a, b) => `${a}${b}` } });
    await expect(runWorkload(order, acts('', '', '', ''))).rejects.toThrow('depends on the order of chunks');
    await expect(runWorkload(order, acts('', ''))).resolves.toMatchObject({ report: { k: '01' } });
  });

  it('finishes each key of the report, and reports which one cannot be finished', async () => {
    const options: Options = { name: 'mean', version: 1, item, map: ({ id }) => id, chunk: { maxItems: 2 } };
    const sums = {
      key: () => 'k',
      init: () => ({ sum: 0, count: 0 }),
      add: ({ sum, count }: Sums, result: unknown) => ({ sum: sum + Number(result), count: count + 1 }),
      merge: (a: Sums, b: Sums) => ({ sum: a.sum + b.sum, count: a.count + b.count }),
    };
    const mean = defineWorkload({
      ...options,
      reduce: { ...sums, finish: (_key, { sum, count }) => ({ mean: sum / count }) },
    });
    const none = defineWorkload({ ...options, reduce: { ...sums, finish: () => undefined } });
    const key = (): string => {
      throw new Error('no key');
    };
    const broken = defineWorkload({ ...options, reduce: { ...sums, key } });
    await expect(runWorkload(mean, acts('', '', '', ''))).resolves.toMatchObject({ report: { k: { mean: 1.5 } } });
    await expect(runWorkload(none, acts(''))).rejects.toThrow('The value of key "k" cannot be written');
    await expect(runWorkload(broken, acts(''))).rejects.toThrow('cannot be folded: Error: no key');
  });

  it('runs in a real thread', async () => {
    const { results, report } = await runWorkload(billing, transactions(3), { threads: true });
    expect(results).toHaveLength(3);
    expect(report).toEqual({ 'acme|EUR': { lines: 3, net: '30.00', tax: '6.00', gross: '36.00' } });
  });
});
