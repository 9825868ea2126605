import { describe, expect, test } from 'vitest';
import { applyOutcomes } from '../../../shared/batches/apply/apply-outcomes.ts';
import { changeBatch, insertBatch, insertChunks, openRevision, readBatch } from '../../../shared/batches/ledger.ts';
import { nextRevision } from '../../../shared/batches/revisions.ts';
import { BATCH, batchRowOf, chunkRowOf, headerOf, outcomeOf } from '../../helpers/data/factories.ts';
import { AT, accepted, pendingOf } from './ledger-fixtures.ts';

describe('acceptance', () => {
  test('a second upload with the same batch changes nothing', async () => {
    const { table } = await accepted(['000000']);

    expect(await insertBatch(table, batchRowOf({ accepted: 99, payload: 'another' }), [])).toBeUndefined();
    expect((await readBatch(table, BATCH))?.row.accepted).toBe(4);
  });

  test('an upload recognizes its own batch if the answer to its transaction was lost', async () => {
    const { table } = await accepted(['000000']);

    expect(await insertBatch(table, batchRowOf({ accepted: 4 }), [])).toMatchObject({ row: { accepted: 4 } });
  });

  test('inserting rows does not change those that exist', async () => {
    const { table } = await accepted(['000000']);
    await applyOutcomes(table, BATCH, [outcomeOf('000000')], AT);

    await insertChunks(
      table,
      ['000000', '000001'].map((chunk) => chunkRowOf({ chunk })),
    );

    expect(await pendingOf(table)).toEqual(['000001']);
  });
});

test('a late repeat of the end of an earlier revision does not start the present one', async () => {
  const store = await accepted(['000000']);
  const ends = [{ chunk: '000000', header: headerOf({ dead: 1 }), message: 'm' }];
  await applyOutcomes(store.table, BATCH, ends, AT);
  const opening = { items: 1, openedAt: '2026-01-01T02:00:00.000Z', deadlineAt: '2026-01-01T02:05:00.000Z' };
  await changeBatch(store.table, BATCH, (row) => nextRevision(row, opening));

  await applyOutcomes(store.table, BATCH, ends, { ...AT, at: '2026-01-01T02:00:01.000Z' });

  const found = await readBatch(store.table, BATCH);
  expect(found?.row).toMatchObject({ revision: 1, duplicatesSeen: 1 });
  expect(found?.row.startedAt).toBeUndefined();
});

describe('states', () => {
  test('no revision is opened by a row that has changed since it was read', async () => {
    const { table } = await accepted(['000000']);
    await changeBatch(table, BATCH, () => ({ state: 'completedWithDeadLetters' }));
    const found = await readBatch(table, BATCH);
    await changeBatch(table, BATCH, () => ({ deletingAt: AT.at }));
    const next = batchRowOf({ revision: 1, state: 'enqueueing' });
    const chunks = [chunkRowOf({ chunk: 'v0001.000000' })];

    expect(await openRevision(table, { etag: found?.etag ?? '', next, chunks })).toBe(false);
    expect((await readBatch(table, BATCH))?.row).toMatchObject({ revision: 0, deletingAt: AT.at });
  });

  test('a finished batch is opened again only by a redrive, and only once', async () => {
    const { table } = await accepted(['000000']);
    await changeBatch(table, BATCH, () => ({ state: 'completedWithDeadLetters' }));
    const found = await readBatch(table, BATCH);
    if (!found) throw new Error('unreachable');
    const opening = {
      etag: found.etag,
      next: { ...found.row, state: 'enqueueing' as const, revision: 1 },
      chunks: [chunkRowOf({ chunk: 'v0001.000000' })],
    };

    expect(await openRevision(table, opening)).toBe(true);
    expect(await openRevision(table, opening)).toBe(false);
  });
});
