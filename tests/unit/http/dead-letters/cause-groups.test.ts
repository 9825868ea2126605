import { describe, expect, it } from 'vitest';
import { newBatchId } from '../../../../shared/contract/names.ts';
import { createCauseGroups, type DeadBatch } from '../../../../shared/http/dead-letters/cause-groups.ts';

const batchOf = (
  n: number,
  causes: Record<string, number>,
  dead: number,
  fields: Partial<DeadBatch> = {},
): DeadBatch => ({
  ...{ id: newBatchId(Date.UTC(2026, 0, 1) + n * 1_000), state: 'completedWithDeadLetters', workload: 'billing' },
  ...{ dead, causes, ...fields },
});

function grouped(batches: DeadBatch[], filter: Partial<Parameters<typeof createCauseGroups>[0]> = {}) {
  const groups = createCauseGroups({ labels: [], ...filter });
  for (const batch of batches) groups.add(batch);
  return groups.result();
}

describe('dead letters of many batches', () => {
  it('are grouped by cause and workload, the most frequent first, with unlisted causes counted separately', () => {
    const batches = [
      batchOf(0, { a: 1, b: 2 }, 5),
      batchOf(1, { a: 1 }, 1, { workload: 'other' }),
      batchOf(2, { a: 4 }, 4),
      batchOf(3, {}, 0, { causes: undefined }),
    ];
    const { groups, ...rest } = grouped(batches);
    expect(rest).toEqual({ count: 10, otherCauses: 2, scanned: 4 });
    expect(groups.map(({ cause, workload, count }) => [cause, workload, count])).toEqual([
      ['a', 'billing', 5],
      ['b', 'billing', 2],
      ['a', 'other', 1],
    ]);
  });

  it('list the newest batches of a group, and count the others', () => {
    const { groups } = grouped(Array.from({ length: 230 }, (_, n) => batchOf(n, { a: n + 1 }, n + 1)));
    expect(groups).toHaveLength(1);
    expect(groups[0]?.batches.map(({ count }) => count)).toEqual(Array.from({ length: 50 }, (_, n) => 230 - n));
    expect(groups[0]).toMatchObject({ moreBatches: 180, count: (230 * 231) / 2 });
  });

  it('have at most a hundred groups', () => {
    const batches = Array.from({ length: 150 }, (_, n) => batchOf(n, { [`cause ${n}`]: n + 1 }, n + 1));
    const { groups, count, otherCauses } = grouped(batches);
    expect([groups.length, groups[0]?.cause]).toEqual([100, 'cause 149']);
    expect([count, otherCauses]).toEqual([(150 * 151) / 2, (50 * 51) / 2]);
  });

  it('are found by a cause that is longer than the stored one', () => {
    const long = `rejected: Error: ${'x'.repeat(150)}`;
    const batches = [batchOf(0, { [long.slice(0, 120)]: 2, b: 1 }, 4), batchOf(1, { b: 9 }, 9)];
    expect(grouped(batches, { cause: long })).toMatchObject({ count: 2, otherCauses: 0, groups: [{ count: 2 }] });
  });

  it('are found by a part of their cause, case-insensitively', () => {
    const batches = [batchOf(0, { 'rejected: No Tax rate': 2, 'rejected: No price': 1 }, 3), batchOf(1, { b: 9 }, 9)];
    const found = grouped(batches, { cause: 'no tax' });
    expect(found).toMatchObject({ count: 2, groups: [{ cause: 'rejected: No Tax rate', count: 2 }] });
  });
});
