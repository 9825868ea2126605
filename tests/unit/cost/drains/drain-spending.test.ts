import { describe, expect, it } from 'vitest';
import {
  addSpent,
  type DrainRecord,
  endDrain,
  MAX_DRAIN_RECORDS,
  readDrainRecord,
  splitRecords,
} from '../../../../shared/cost/drains/drain-spending.ts';
import { recordsOf, spent } from '../drain-records.ts';

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
