import { describe, expect, test } from 'vitest';
import {
  claimKey,
  freeKey,
  keyRowOf,
  recordKeyContent,
  releaseClaim,
  renewClaim,
} from '../../../shared/batches/keys.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const KEY = keyRowOf('billing', 'order-7');

describe('an idempotency key', () => {
  test('fixes the batch at its first use', async () => {
    const { table } = memoryTable();
    const first = await claimKey(table, KEY, { nowMs: NOW });
    await recordKeyContent(table, first, { digest: 'sha256:abc' });

    const second = await claimKey(table, KEY, { nowMs: NOW + 1_000 });

    expect(second).toMatchObject({ batch: first.batch, keyRow: KEY, digest: 'sha256:abc', repeated: true });
  });

  test('is claimed by one upload at a time', async () => {
    const { table } = memoryTable();
    await claimKey(table, KEY, { nowMs: NOW });

    await expect(claimKey(table, KEY, { nowMs: NOW + 60_000 - 1 })).rejects.toMatchObject({
      type: 'upload-in-progress',
    });
  });

  test('passes to the next upload, with the same batch id, when the first has been silent for a minute', async () => {
    const { table } = memoryTable();
    const first = await claimKey(table, KEY, { nowMs: NOW });
    await renewClaim(table, first, NOW + 30_000);

    await expect(claimKey(table, KEY, { nowMs: NOW + 70_000 })).rejects.toMatchObject({ type: 'upload-in-progress' });
    expect((await claimKey(table, KEY, { nowMs: NOW + 90_000 })).batch).toBe(first.batch);
  });

  test('is free immediately after a refused upload', async () => {
    const { table } = memoryTable();
    const first = await claimKey(table, KEY, { nowMs: NOW });
    await releaseClaim(table, first);

    expect((await claimKey(table, KEY, { nowMs: NOW + 1 })).batch).toBe(first.batch);
  });

  test('identifies a new batch after seven days', async () => {
    const { table } = memoryTable();
    const first = await claimKey(table, KEY, { nowMs: NOW });
    await recordKeyContent(table, first, { digest: 'sha256:abc' });

    const later = await claimKey(table, KEY, { nowMs: NOW + 7 * 86_400_000 });

    expect(later.batch).not.toBe(first.batch);
    expect(later.digest).toBeUndefined();
  });

  test('is freed when its batch is deleted, but not when another one is', async () => {
    const { table, row } = memoryTable();
    const { batch } = await claimKey(table, KEY, { nowMs: NOW });
    await freeKey(table, KEY, 'another');
    const kept = row(KEY, 'key');
    await freeKey(table, KEY, batch);

    expect(kept).toMatchObject({ batch });
    expect(row(KEY, 'key')).toBeUndefined();
  });

  test.each<[string, (table: Table) => Promise<unknown>]>([
    ['is free', async () => undefined],
    [
      'stands for another batch',
      async (table) => renewClaim(table, await claimKey(table, KEY, { nowMs: NOW }), NOW + 20_000),
    ],
  ])('%s after the deletion of its batch: a late upload can neither finish nor change it', async (_state, next) => {
    const { table, row } = memoryTable();
    const late = await claimKey(table, KEY, { nowMs: NOW });
    await freeKey(table, KEY, late.batch);
    await next(table);
    const before = row(KEY, 'key');

    await expect(recordKeyContent(table, late, { digest: 'sha256:abc' })).rejects.toMatchObject({
      name: 'BatchGoneError',
    });
    await renewClaim(table, late, NOW + 30_000);
    await releaseClaim(table, late);

    expect(row(KEY, 'key')).toEqual(before);
  });

  test('counts the uploads that neither finished nor released it', async () => {
    const { table } = memoryTable();
    const starts: number[] = [];
    for (let n = 0; n < 3; n++) starts.push((await claimKey(table, KEY, { nowMs: NOW + n * 70_000 })).starts);
    const last = await claimKey(table, KEY, { nowMs: NOW + 210_000 });
    await releaseClaim(table, last);
    starts.push(last.starts, (await claimKey(table, KEY, { nowMs: NOW + 210_001 })).starts);

    expect(starts).toEqual([1, 2, 3, 4, 1]);
  });

  test('counts only the uploads since the latest checkpoint', async () => {
    const { table } = memoryTable();
    const first = await claimKey(table, KEY, { nowMs: NOW });
    const second = await claimKey(table, KEY, { nowMs: NOW + 70_000 });
    second.starts = 1;
    await renewClaim(table, second, NOW + 90_000);

    expect([first.starts, (await claimKey(table, KEY, { nowMs: NOW + 160_000 })).starts]).toEqual([1, 2]);
  });

  test('is separate for each workload, and its row does not contain it', () => {
    expect(keyRowOf('payouts', 'order-7')).not.toBe(KEY);
    expect(KEY).toMatch(/^[0-9a-f]{64}$/);
  });
});
