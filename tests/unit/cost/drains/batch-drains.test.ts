import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addOperations, type Operations, totalOperations } from '../../../../shared/contract/operations.ts';
import { addDrainChunks, type BatchDrains, partOfDrains } from '../../../../shared/cost/drains/batch-drains.ts';
import { addSpent, type DrainRecord, readDrainRecord } from '../../../../shared/cost/drains/drain-spending.ts';
import { recordsOf, spent } from '../drain-records.ts';

const QUEUE = 'billing-normal-0';
/** Batches by drain: the number of chunks of each that a drain has finished. */
const histories = fc.array(
  fc.record({ chunks: fc.array(fc.nat({ max: 5 }), { minLength: 3, maxLength: 3 }), gets: fc.nat({ max: 50 }) }),
  { maxLength: 40 },
);

describe('the shares of batches', () => {
  it('sum to the spending of drains with chunks, and none is negative', () => {
    fc.assert(
      fc.property(histories, (drains) => {
        let records: DrainRecord[] = [];
        const owns: BatchDrains[] = [{}, {}, {}];
        for (const [index, { chunks, gets }] of drains.entries()) {
          const generation = index + 1;
          const all = chunks.reduce((sum, n) => sum + n, 0);
          records = addSpent(records, spent(generation, all, gets));
          for (const [batch, n] of chunks.entries())
            if (n > 0) owns[batch] = addDrainChunks(owns[batch] ?? {}, { queue: QUEUE, generation, chunks: n });
        }
        const read = records.map(readDrainRecord);
        const shares = owns.map((own) => partOfDrains(own, () => records));
        const total = (sum: Operations): number => totalOperations(sum);
        const borne = total(shares.reduce(addOperations, {}));
        const ended = read.filter(({ chunks }) => chunks > 0).map(({ operations }) => total(operations));
        expect(borne).toBeCloseTo(
          ended.reduce((sum, n) => sum + n, 0),
          6,
        );
        for (const share of shares) expect(total(share)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('of a batch that is alone in many drains are complete, even if the oldest are combined', () => {
    const generations = Array.from({ length: 200 }, (_, n) => n + 1);
    const records = recordsOf(...generations.map((generation) => spent(generation, 2, 10)));
    const own = generations.reduce<BatchDrains>(
      (all, generation) => addDrainChunks(all, { queue: QUEUE, generation, chunks: 2 }),
      {},
    );
    expect(own[QUEUE]).toHaveLength(32);
    expect(partOfDrains(own, () => records)).toEqual({ 'table.get': 2_000 });
  });

  it('of a batch with the maximum number of queues and drains fit into a property of its row', () => {
    const queues = Array.from({ length: 33 }, (_, n) => `${'w'.repeat(48)}-${n}`);
    let own: BatchDrains = {};
    for (const queue of queues)
      for (let generation = 1_000_000; generation < 1_000_080; generation += 1)
        own = addDrainChunks(own, { queue, generation, chunks: 10_000 });
    // A property has 64 KiB, two bytes per character.
    expect(JSON.stringify(own).length).toBeLessThan(32_768);
  });

  it('are found among very many drains without reading each', () => {
    const records = recordsOf(...Array.from({ length: 5_000 }, (_, n) => spent(2 * n + 1, 1, n + 1)));
    const own: BatchDrains = {
      [QUEUE]: [
        [1, 1],
        [4_001, 1],
        [5_000, 1],
        [9_999, 1],
      ],
    };
    let reads = 0;
    const watched = new Proxy(records, {
      get: (target, name, receiver) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    expect(partOfDrains(own, () => watched)).toEqual({ 'table.get': 1 + 2_001 + 5_000 });
    expect(reads).toBeLessThan(200);
  });

  it('are proportional to the chunks', () => {
    const own = addDrainChunks({}, { queue: QUEUE, generation: 4, chunks: 1 });
    expect(partOfDrains(own, () => recordsOf(spent(3, 9, 100), spent(4, 4, 8)))).toEqual({ 'table.get': 2 });
    expect(partOfDrains(own, () => [])).toEqual({});
  });
});
