import { expect, test } from 'vitest';
import { newBatchId } from '../../../../shared/contract/names.ts';
import type { DeadBatch } from '../../../../shared/http/dead-letters/cause-groups.ts';
import { sumDeadLetters } from '../../../../shared/http/overview/batch-notices.ts';

const batchOf = (second: number, fields: Pick<DeadBatch, 'workload' | 'dead' | 'causes'>): DeadBatch => ({
  ...{ id: newBatchId(Date.UTC(2026, 0, 1, 0, 0, second)), state: 'completedWithDeadLetters' },
  ...fields,
});

test('sums dead letters by cause and workload, the most frequent first, with the newest batch', () => {
  const older = batchOf(2, { workload: 'billing', dead: 5, causes: { 'InvalidItem: amount': 3, timeout: 2 } });
  const newer = batchOf(3, { workload: 'billing', dead: 2, causes: { timeout: 2 } });
  const other = batchOf(1, { workload: 'media', dead: 1, causes: { timeout: 1 } });
  // Finished by a version that recorded no causes.
  const unnamed = batchOf(0, { workload: 'media', dead: 9, causes: undefined });
  const { count, causes } = sumDeadLetters([older, newer, other, unnamed]);
  expect(count).toBe(17);
  expect(causes).toEqual([
    { cause: 'timeout', workload: 'billing', count: 4, batches: 2, newest: newer.id },
    { cause: 'InvalidItem: amount', workload: 'billing', count: 3, batches: 1, newest: older.id },
    { cause: 'timeout', workload: 'media', count: 1, batches: 1, newest: other.id },
  ]);
});

test('counts all batches of a cause, in any order', () => {
  const batches = Array.from({ length: 230 }, (_, n) =>
    batchOf(n, { workload: 'billing', dead: 1, causes: { timeout: 1 } }),
  );
  const newest = batches.at(-1)?.id;
  for (const each of [batches, batches.toReversed()])
    expect(sumDeadLetters(each).causes).toEqual([
      { cause: 'timeout', workload: 'billing', count: 230, batches: 230, newest },
    ]);
});

test('shows at most twenty causes', () => {
  const causes = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`cause ${n}`, n + 1]));
  const shown = sumDeadLetters([batchOf(0, { workload: 'billing', dead: 465, causes })]).causes;
  expect([shown.length, shown[0]?.count, shown.at(-1)?.count]).toEqual([20, 30, 11]);
});
