import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addOperations, type Operations, totalOperations } from '../../../shared/contract/operations.ts';
import {
  addOwnChunks,
  addSpent,
  type DrainRecord,
  endDrain,
  MAX_DRAIN_RECORDS,
  type OwnDrains,
  readDrainRecord,
  shareOf,
  splitRecords,
} from '../../../shared/cost/drain-spending.ts';

const QUEUE = 'billing-normal-0';
const spent = (generation: number, chunks: number, gets: number, received = chunks > 0) => ({
  ...{ generation, chunks, received },
  operations: { 'table.get': gets },
});
const recordsOf = (...all: ReturnType<typeof spent>[]): DrainRecord[] =>
  all.reduce<DrainRecord[]>((records, one) => addSpent(records, one), []);
const shown = (records: readonly DrainRecord[]) =>
  records
    .map(readDrainRecord)
    .map(({ generation, chunks, operations }) => [generation, chunks, operations['table.get']]);

describe('the spending of drains', () => {
  it('is read as it was added, including operations without a position', () => {
    const operations = { 'table.get': 2, 'functions.gbSecond': 0.4, 'queue.peek': 1 };
    expect(addSpent([], { ...spent(1, 2, 0), operations }).map(readDrainRecord)).toEqual([
      { generation: 1, chunks: 2, received: true, operations },
    ]);
  });

  it('of a drain without chunks is added to the next one', () => {
    expect(shown(recordsOf(spent(1, 2, 5), spent(2, 0, 4, true), spent(3, 0, 2), spent(3, 1, 1)))).toEqual([
      [1, 2, 5],
      [3, 1, 7],
    ]);
  });

  it('of a drain that a late wake has started is added to the previous one', () => {
    expect(shown(endDrain(recordsOf(spent(1, 2, 5), spent(2, 0, 4))))).toEqual([[1, 2, 9]]);
    const received = recordsOf(spent(1, 2, 5), spent(2, 0, 4, true));
    expect(endDrain(received)).toBe(received);
    expect(shown(endDrain(recordsOf(spent(2, 0, 4))))).toEqual([[2, 0, 4]]);
  });

  it('is archived when there are too many records, except the last two', () => {
    const full = recordsOf(...Array.from({ length: MAX_DRAIN_RECORDS }, (_, n) => spent(n + 1, 1, 1)));
    expect(splitRecords(full)).toEqual({ old: [], kept: full });
    const { old, kept } = splitRecords(addSpent(full, spent(99, 1, 1)));
    expect([old.length, shown(kept).map(([generation]) => generation)]).toEqual([
      MAX_DRAIN_RECORDS - 1,
      [MAX_DRAIN_RECORDS, 99],
    ]);
  });

  it('needs little space in the gate, because every receive reads all of it', () => {
    const busy = {
      'table.get': 412,
      'table.update': 205,
      'queue.get': 890,
      'queue.delete': 12,
      'queue.properties': 14,
    };
    const more = { 'servicebus.send': 3, 'durable.action': 61, 'functions.execution': 88, 'functions.gbSecond': 402.4 };
    const records = Array.from({ length: MAX_DRAIN_RECORDS }, (_, n) => ({
      ...{ generation: 12_000 + n, chunks: 4_000, received: true },
      operations: { ...busy, ...more },
    })).reduce<DrainRecord[]>((all, one) => addSpent(all, one), []);
    expect(JSON.stringify(records).length).toBeLessThan(1_280);
  });
});

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
        const owns: OwnDrains[] = [{}, {}, {}];
        for (const [index, { chunks, gets }] of drains.entries()) {
          const generation = index + 1;
          const all = chunks.reduce((sum, n) => sum + n, 0);
          records = addSpent(records, spent(generation, all, gets));
          for (const [batch, n] of chunks.entries())
            if (n > 0) owns[batch] = addOwnChunks(owns[batch] ?? {}, { queue: QUEUE, generation, chunks: n });
        }
        const read = records.map(readDrainRecord);
        const shares = owns.map((own) => shareOf(own, () => records));
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
    const own = generations.reduce<OwnDrains>(
      (all, generation) => addOwnChunks(all, { queue: QUEUE, generation, chunks: 2 }),
      {},
    );
    expect(own[QUEUE]).toHaveLength(32);
    expect(shareOf(own, () => records)).toEqual({ 'table.get': 2_000 });
  });

  it('of a batch with the maximum number of queues and drains fit into a property of its row', () => {
    const queues = Array.from({ length: 33 }, (_, n) => `${'w'.repeat(48)}-${n}`);
    let own: OwnDrains = {};
    for (const queue of queues)
      for (let generation = 1_000_000; generation < 1_000_080; generation += 1)
        own = addOwnChunks(own, { queue, generation, chunks: 10_000 });
    // A property has 64 KiB, two bytes per character.
    expect(JSON.stringify(own).length).toBeLessThan(32_768);
  });

  it('are found among very many drains without reading each', () => {
    const records = recordsOf(...Array.from({ length: 5_000 }, (_, n) => spent(2 * n + 1, 1, n + 1)));
    const own: OwnDrains = {
      [QUEUE]: [
        [1, 1],
        [4_001, 1],
        [5_000, 1],
        [9_999, 1],
      ],
    };
    let looks = 0;
    const watched = new Proxy(records, {
      get: (target, name, receiver) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    expect(shareOf(own, () => watched)).toEqual({ 'table.get': 1 + 2_001 + 5_000 });
    expect(looks).toBeLessThan(200);
  });

  it('are proportional to the chunks', () => {
    const own = addOwnChunks({}, { queue: QUEUE, generation: 4, chunks: 1 });
    expect(shareOf(own, () => recordsOf(spent(3, 9, 100), spent(4, 4, 8)))).toEqual({ 'table.get': 2 });
    expect(shareOf(own, () => [])).toEqual({});
  });
});
