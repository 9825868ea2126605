import { describe, expect, test } from 'vitest';
import { CONTENT_CLAIM_MS, claimContent, recordContent } from '../../../shared/batches/content-keys.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');

describe('content that is accepted only once', () => {
  const content = (batch: string) => ({ workload: 'billing', digest: 'sha256:abc', batch });
  const claim = (table: Table, batch: string, { at = NOW, accepted = [] as string[] } = {}) =>
    claimContent(table, content(batch), { nowMs: at, isAccepted: async (id) => accepted.includes(id) });
  const WEEK = 7 * 86_400_000;

  test('is reported as the content of its batch for seven days', async () => {
    const { table } = memoryTable();
    expect(await claim(table, 'first')).toBeUndefined();
    expect(await claim(table, 'second', { at: NOW + WEEK - 1, accepted: ['first'] })).toBe('first');
    expect(await claim(table, 'third', { at: NOW + WEEK, accepted: ['first'] })).toBeUndefined();
  });

  test('is claimed until its batch is accepted or can no longer be accepted', async () => {
    const { table } = memoryTable();
    await claim(table, 'first');
    const early = claim(table, 'second', { at: NOW + CONTENT_CLAIM_MS - 1 });
    await expect(early).rejects.toMatchObject({ type: 'upload-in-progress' });
    expect(await claim(table, 'second', { at: NOW + CONTENT_CLAIM_MS })).toBeUndefined();
    // The first batch tries again too late: it waits for the end of the second.
    const late = claim(table, 'first', { at: NOW + CONTENT_CLAIM_MS + 1 });
    await expect(late).rejects.toMatchObject({ type: 'upload-in-progress' });
  });

  test('may be claimed again for the same batch, which keeps it from then on', async () => {
    const { table } = memoryTable();
    await claim(table, 'first');
    expect(await claim(table, 'first', { at: NOW + CONTENT_CLAIM_MS })).toBeUndefined();
    const other = claim(table, 'second', { at: NOW + 2 * CONTENT_CLAIM_MS - 1 });
    await expect(other).rejects.toMatchObject({ type: 'upload-in-progress' });
  });

  test('passes to one of two batches that take over a dead claim at the same time', async () => {
    const { table } = memoryTable();
    await claim(table, 'first');
    const at = NOW + CONTENT_CLAIM_MS;
    const ends = await Promise.allSettled([claim(table, 'second', { at }), claim(table, 'third', { at })]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('that was only recorded belongs to its batch if that batch exists', async () => {
    const { table } = memoryTable();
    await recordContent(table, content('first'), NOW);
    expect(await claim(table, 'second', { accepted: ['first'] })).toBe('first');
    expect(await claim(table, 'second')).toBeUndefined();
  });
});
