import { describe, expect, test } from 'vitest';
import { applyOutcomes } from '../../../shared/batches/apply/apply-outcomes.ts';
import { recordContent } from '../../../shared/batches/content-keys.ts';
import {
  type Claim,
  claimKey,
  freeKey,
  keyRowOf,
  recordKeyContent,
  releaseClaim,
  renewClaim,
} from '../../../shared/batches/keys.ts';
import {
  changeBatch,
  changeFrom,
  chunkRows,
  insertBatch,
  insertChunks,
  readBatch,
} from '../../../shared/batches/ledger.ts';
import { batchesOfDay, indexBatch, unindexBatch } from '../../../shared/batches/listing/index-rows.ts';
import { deleteOpenRow, noteKeys, readOpen, writeOpenRow } from '../../../shared/batches/listing/open-rows.ts';
import { deleteChunks } from '../../../shared/batches/remove-batch.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import { pauseBatch, resumeBatch } from '../../../shared/commands/pause.ts';
import { batchDate, newBatchId } from '../../../shared/contract/names.ts';
import { readEntity } from '../../../shared/storage/table.ts';
import { choresNote } from '../../../shared/sweep/chores.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { batchRowOf, chunkRowOf, headerOf, referenceOf } from '../../helpers/data/factories.ts';
import { itemsOf } from '../in-process/world.ts';
import { type Lost, useLossy } from './lossy-storage.ts';

const lossy = useLossy();
const create = (table: string): Lost => ['table', new RegExp(`^POST .*/${table}$`)];
const replace = (table: string): Lost => ['table', new RegExp(`^PUT .*/${table}\\(`)];
const merge = (table: string): Lost => ['table', new RegExp(`^PATCH .*/${table}\\(`)];
const remove = (table: string): Lost => ['table', new RegExp(`^DELETE .*/${table}\\(`)];
const TRANSACTION: Lost = ['table', /^POST .*\/\$batch$/];

const batches = () => lossy.world.clients.batches;
const keys = () => lossy.world.clients.keys;
const now = () => lossy.world.deps.gate.now();
const AT = '2026-01-01T00:01:00.000Z';

let count = 0;
const freshKey = (): string => keyRowOf('billing', `key-${count++}`);

/** A batch of two chunks that waits for their ends. */
async function batchOfTwo() {
  const id = newBatchId(now());
  const chunks = ['000000', '000001'].map((chunk) =>
    chunkRowOf({ batch: id, chunk, reference: referenceOf({ batch: id, chunk }) }),
  );
  const row = batchRowOf({ id, accepted: 8, chunksTotal: 2 });
  return { id, row, chunks };
}
async function storedBatch() {
  const batch = await batchOfTwo();
  await insertBatch(batches(), batch.row, batch.chunks);
  return batch;
}
const rowOf = async (id: string) => (await readBatch(batches(), id))?.row;
async function statesOf(id: string): Promise<string[]> {
  const states = [];
  for await (const row of chunkRows(batches(), id)) states.push(row.state);
  return states;
}

describe('an idempotency key whose write was answered too late', () => {
  test('is claimed by the upload that created it', async () => {
    const keyRow = freshKey();
    lossy.lose(...create('keys'));

    const claim = await claimKey(keys(), keyRow, { nowMs: now() });

    lossy.assertLost();
    const { batch, etag } = (await readEntity(keys(), keyRow, 'key')) ?? { batch: '', etag: '' };
    expect(claim).toEqual({ keyRow, repeated: false, starts: 1, batch, etag });
  });

  test('is claimed again by a later upload of the same batch', async () => {
    const keyRow = freshKey();
    const first = await claimKey(keys(), keyRow, { nowMs: now() });
    await releaseClaim(keys(), first);
    lossy.lose(...replace('keys'));

    const { batch, starts } = first;
    expect(await claimKey(keys(), keyRow, { nowMs: now() })).toMatchObject({ batch, starts, repeated: true });
    lossy.assertLost();
  });

  test('is claimed for another batch when it has expired', async () => {
    const keyRow = freshKey();
    await claimKey(keys(), keyRow, { nowMs: Date.UTC(2020, 0) });
    lossy.lose(...replace('keys'));

    const claim = await claimKey(keys(), keyRow, { nowMs: now() });

    lossy.assertLost();
    expect(claim.batch).toBe((await readEntity(keys(), keyRow, 'key'))?.batch);
  });

  test('of another upload is not taken for its own', async () => {
    const keyRow = freshKey();

    const claims = await Promise.allSettled([
      claimKey(keys(), keyRow, { nowMs: now() }),
      claimKey(keys(), keyRow, { nowMs: now() }),
    ]);

    expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test.each<[string, (claim: Claim) => Promise<void>, Record<string, unknown>]>([
    ['renewed', (claim) => renewClaim(keys(), claim, Date.UTC(2027, 0)), { claimedUntil: '2027-01-01T00:01:00.000Z' }],
    ['released', (claim) => releaseClaim(keys(), claim), { claimedUntil: '1970-01-01T00:00:00.000Z' }],
    ['finished', (claim) => recordKeyContent(keys(), claim, { digest: 'sha256:1' }), { digest: 'sha256:1' }],
  ])('is %s', async (_what, write, columns) => {
    const keyRow = freshKey();
    const claim = await claimKey(keys(), keyRow, { nowMs: now() });
    lossy.lose(...merge('keys'));

    await write(claim);

    lossy.assertLost();
    expect(await readEntity(keys(), keyRow, 'key')).toMatchObject(columns);
  });

  test('is freed', async () => {
    const keyRow = freshKey();
    const { batch } = await claimKey(keys(), keyRow, { nowMs: now() });
    lossy.lose(...remove('keys'));

    await freeKey(keys(), keyRow, batch);

    lossy.assertLost();
    expect(await readEntity(keys(), keyRow, 'key')).toBeUndefined();
  });
});

describe('the record of a content whose write was answered too late', () => {
  const contentOf = (batch: string) => ({ workload: 'billing', digest: `sha256:${count++}`, batch });

  test('does not report the batch as a repeat of itself', async () => {
    const content = contentOf('first');
    lossy.lose(...create('keys'));

    expect(await recordContent(keys(), content, now())).toBeUndefined();

    lossy.assertLost();
    expect(await recordContent(keys(), { ...content, batch: 'second' }, now())).toBe('first');
  });

  test('still reports a batch that had the content before', async () => {
    const content = contentOf('first');
    await recordContent(keys(), content, now());
    lossy.lose(...create('keys'));

    expect(await recordContent(keys(), { ...content, batch: 'second' }, now())).toBe('first');

    lossy.assertLost();
  });
});

describe('a batch row whose write was answered too late', () => {
  test('is accepted by the upload that inserted it, and can be changed from there', async () => {
    const { id, row, chunks } = await batchOfTwo();
    lossy.lose(...TRANSACTION);

    const inserted = await insertBatch(batches(), row, chunks);

    lossy.assertLost();
    expect(inserted?.row).toEqual(row);
    const changed = inserted && (await changeFrom(batches(), inserted, () => ({ state: 'queued', queuedAt: AT })));
    expect(changed?.row.queuedAt).toBe(AT);
    expect((await rowOf(id))?.queuedAt).toBe(AT);
    expect(await statesOf(id)).toEqual(['pending', 'pending']);
  });

  test('of another upload is not taken for its own', async () => {
    const { row, chunks } = await storedBatch();

    expect(await insertBatch(batches(), { ...row, payload: 'another' }, chunks)).toBeUndefined();
  });

  test('is changed once, by the call that changed it', async () => {
    const { id } = await storedBatch();
    lossy.lose(...replace('batches'));

    const changed = await changeBatch(batches(), id, ({ retried }) => ({ retried: retried + 1, state: 'running' }));

    lossy.assertLost();
    expect(changed).toMatchObject({ retried: 1, state: 'running' });
    expect(await rowOf(id)).toMatchObject({ retried: 1, state: 'running' });
  });

  test('is reported as changed, although its second try finds nothing to change', async () => {
    const { id } = await storedBatch();
    lossy.lose(...replace('batches'));

    const changed = await changeBatch(batches(), id, ({ announced }) => (announced ? undefined : { announced: true }));

    lossy.assertLost();
    expect(changed?.announced).toBe(true);
  });
});

describe('chunk rows whose write was answered too late', () => {
  test('are inserted once', async () => {
    const { id, chunks } = await batchOfTwo();
    lossy.lose(...TRANSACTION);

    await insertChunks(batches(), chunks);

    lossy.assertLost();
    expect(await statesOf(id)).toEqual(['pending', 'pending']);
  });

  test('end once, and count as ended by this call', async () => {
    const { id } = await storedBatch();
    const ends = [
      { chunk: '000000', header: headerOf({ dead: 1 }), message: 'm', operations: { 'blob.put': 1 } },
      { chunk: '000001', header: headerOf({ retried: 1 }), message: 'm', operations: { 'blob.put': 1 } },
    ];
    lossy.lose(...TRANSACTION);

    const applied = await applyOutcomes(batches(), id, ends, { at: AT });

    lossy.assertLost();
    expect(applied?.fresh).toEqual(new Set(['000000', '000001']));
    expect(applied?.duplicates).toBe(0);
    expect(applied?.followUps.map(({ chunk }) => chunk)).toEqual(['000001.r1']);
    const counts = { succeeded: 6, dead: 1, retried: 1, chunksDone: 2, chunksTotal: 3, duplicatesSeen: 0 };
    expect(applied?.batch).toMatchObject({ ...counts, operations: { 'blob.put': 2 } });
    expect(await rowOf(id)).toMatchObject({ ...counts, operations: { 'blob.put': 2 } });
    expect(
      await changeFrom(batches(), { row: applied?.batch as never, etag: applied?.etag ?? '' }, () => ({ retried: 2 })),
    ).toMatchObject({ row: { retried: 2 } });
  });

  test('that are repeats are counted as duplicates once', async () => {
    const { id } = await storedBatch();
    const end = { chunk: '000000', header: headerOf() };
    await applyOutcomes(batches(), id, [{ ...end, message: 'first' }], { at: AT });
    const ends = [{ ...end, message: 'second', operations: { 'queue.get': 1 } }];
    lossy.lose(...TRANSACTION);

    const applied = await applyOutcomes(batches(), id, ends, { at: AT });

    lossy.assertLost();
    expect(applied).toMatchObject({ duplicates: 1, fresh: new Set() });
    expect(await rowOf(id)).toMatchObject({ duplicatesSeen: 1, operations: { 'queue.get': 1 } });
  });

  test('that two collectors end at the same time end once', async () => {
    const { id } = await storedBatch();
    const [one, two] = [headerOf(), headerOf({}, { handlerSeconds: 2 })];
    const both = [
      { chunk: '000000', header: one, message: 'm' },
      { chunk: '000001', header: two, message: 'm' },
    ];

    await Promise.all([
      applyOutcomes(batches(), id, both.slice(0, 1), { at: AT }),
      applyOutcomes(batches(), id, both, { at: AT }),
    ]);

    expect(await rowOf(id)).toMatchObject({ succeeded: 8, chunksDone: 2 });
    expect(await statesOf(id)).toEqual(['done', 'done']);
  });

  test('are deleted', async () => {
    const { id } = await storedBatch();
    lossy.lose(...TRANSACTION);

    expect(await deleteChunks(batches(), id, () => false)).toBe(true);

    lossy.assertLost();
    expect(await statesOf(id)).toEqual([]);
  });
});

describe('a row beside whose write was answered too late', () => {
  type Batch = Awaited<ReturnType<typeof batchOfTwo>>;
  const isOpen = async (id: string) => (await readOpen(batches())).batches.some((open) => open.id === id);
  async function isListed(id: string): Promise<boolean> {
    for await (const entry of batchesOfDay(batches(), batchDate(id))) if (entry.id === id) return true;
    return false;
  }

  test.each<[string, (batch: Batch) => Promise<unknown>, (id: string) => Promise<boolean>]>([
    ['opened', ({ row }) => writeOpenRow(batches(), row), isOpen],
    ['listed', ({ row }) => indexBatch(batches(), row), isListed],
  ])('is %s', async (_what, write, isThere) => {
    const batch = await batchOfTwo();
    lossy.lose(...replace('batches'));

    await write(batch);

    lossy.assertLost();
    expect(await isThere(batch.id)).toBe(true);
    await deleteOpenRow(batches(), batch.row);
  });

  test.each<[string, (batch: Batch) => Promise<unknown>, (id: string) => Promise<boolean>]>([
    ['closed', ({ row }) => deleteOpenRow(batches(), row), isOpen],
    ['unlisted', ({ id }) => unindexBatch(batches(), id), isListed],
  ])('is %s', async (_what, write, isThere) => {
    const batch = await batchOfTwo();
    await writeOpenRow(batches(), batch.row);
    await indexBatch(batches(), batch.row);
    expect(await isThere(batch.id)).toBe(true);
    lossy.lose(...remove('batches'));

    await write(batch);

    lossy.assertLost();
    expect(await isThere(batch.id)).toBe(false);
    await deleteOpenRow(batches(), batch.row);
  });

  test('claims the chores of a day for the sweep that wrote it, which does them', async () => {
    const { world } = lossy;
    await world.reset({ chores: true });
    const keyRow = freshKey();
    await claimKey(keys(), keyRow, { nowMs: Date.UTC(2020, 0) });
    lossy.lose('table', /^PUT .*RowKey='~chores/);

    await sweep(world.deps);

    lossy.assertLost();
    const { partitionKey, rowKey } = noteKeys(choresNote(undefined));
    expect(await readEntity(batches(), partitionKey, rowKey)).toMatchObject({ left: false });
    expect(await readEntity(keys(), keyRow, 'key')).toBeUndefined();
  });
});

describe('an operation of an operator that is answered too late', () => {
  test('cancelling ends every chunk', async () => {
    const { id } = await lossy.world.submit(itemsOf(9));
    lossy.lose(...replace('batches'));

    expect(await cancelBatch(lossy.world.deps, id)).toMatchObject({
      row: { state: 'cancelling' },
      ended: { chunks: 3 },
    });

    lossy.assertLost();
    await lossy.world.drainAll();
    expect(await rowOf(id)).toMatchObject({ state: 'cancelled', cancelled: 9 });
  });

  test('pausing and resuming a batch', async () => {
    const { id } = await lossy.world.submit(itemsOf(9));
    lossy.lose(...replace('batches'));
    const { paused } = await pauseBatch(lossy.world.deps, id, { reason: 'why' });
    expect(paused).toMatchObject({ reason: 'why' });
    lossy.assertLost();
    await lossy.world.drainAll();
    lossy.lose(...replace('batches'));

    expect(await resumeBatch(lossy.world.deps, id, { since: paused?.at ?? '' })).toEqual({ sent: 3, isWhole: true });

    lossy.assertLost();
    await lossy.world.drainAll();
    expect(await rowOf(id)).toMatchObject({ state: 'completed', succeeded: 9 });
  });

  test.each<[string, Lost]>([
    ['mark', ['table', /^PUT .*RowKey='batch'/]],
    ['rows', TRANSACTION],
    ['batch row', ['table', /^DELETE .*RowKey='batch'/]],
    ['first blob', ['blob', /^DELETE /]],
  ])('deleting (%s) leaves nothing', async (_what, lost) => {
    const { id } = await lossy.world.submit(itemsOf(9));
    await lossy.world.drainAll();
    lossy.lose(...lost);

    expect(await deleteBatch(lossy.world.deps, id)).toBe(true);

    lossy.assertLost();
    expect(await rowOf(id)).toBeUndefined();
    expect(await statesOf(id)).toEqual([]);
  });
});
