import { describe, expect, it } from 'vitest';
import { toBatchEntity } from '../../../../shared/batches/batch-row.ts';
import { type ChunkRow, toChunkEntity } from '../../../../shared/batches/chunk-row.ts';
import { readBatch } from '../../../../shared/batches/ledger.ts';
import { batchesOfDay, toIndexEntity } from '../../../../shared/batches/listing/index-rows.ts';
import { discardReason, selectToDiscard } from '../../../../shared/commands/redrive/discard.ts';
import { runsFrom } from '../../../../shared/commands/redrive/item-set.ts';
import type { Selection } from '../../../../shared/commands/redrive/select.ts';
import { batchDate, outcomeBlobName } from '../../../../shared/contract/names.ts';
import { encodeOutcome } from '../../../../shared/processing/outcome/encode/encode-outcome.ts';
import { BATCH, batchRowOf, chunkRowOf, headerOf } from '../../../helpers/data/factories.ts';
import { memoryBlobs } from '../../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

const batch = batchRowOf({ state: 'completedWithDeadLetters', accepted: 9, dead: 5 });
const letter = (index: number, name = 'Error') => ({
  ...{ index, reason: 'rejected', error: { name, message: 'no' }, attempts: [], version: 1 },
});

/** Selects from dead letters 5, 3 and 4 of one chunk and 0 and 8 of the next; none of them has its item. */
async function selected(selection: Selection) {
  const { table } = memoryTable();
  const { container, blobs } = memoryBlobs();
  const store = async (chunk: string, letters: object[]): Promise<ChunkRow> => {
    const counts = headerOf({ items: letters.length, dead: letters.length }).counts;
    const dead = letters.map((each) => JSON.stringify(each));
    const { header, body } = encodeOutcome({ ending: 'payloadMissing', counts }, { dead });
    blobs.set(`results/${outcomeBlobName('billing', BATCH, chunk)}`, { body: Buffer.from(body), metadata: {} });
    return chunkRowOf({ chunk, state: 'done', header });
  };
  const rows = [
    await store('000000', [letter(5), letter(3), letter(4, 'Other')]),
    await store('000001', [letter(0), letter(8)]),
  ];
  for (const row of rows) await table.createEntity(toChunkEntity(row));
  const { frames, chunks, unreadable } = await selectToDiscard({ table, container }, { batch, selection });
  return {
    frames: frames.length,
    unreadable,
    chunks: chunks.map(({ items, bytes, firstItem, steps }) => ({
      items,
      bytes,
      runs: [...runsFrom(firstItem, steps)],
    })),
  };
}

describe('a selection to discard', () => {
  it('is one chunk of indices without a frame, and includes items that cannot be read', async () => {
    const runs = [
      [0, 1],
      [3, 6],
      [8, 9],
    ];
    expect(await selected({ discard: 'x' })).toEqual({
      ...{ frames: 0, unreadable: 0 },
      chunks: [{ items: 5, bytes: 0, runs }],
    });
  });

  it.each<[Selection, [number, number][]]>([
    [{ cause: 'rejected: Other: no' }, [[4, 5]]],
    [
      { items: [8, 5, 8] },
      [
        [5, 6],
        [8, 9],
      ],
    ],
  ])('by %j selects only these', async (choice, runs) => {
    expect((await selected({ ...choice, discard: 'x' })).chunks).toMatchObject([{ runs }]);
  });

  it.each<[Selection, RegExp]>([
    [{ items: [3, 7] }, /These items are not dead letters of this batch: 7\./],
    [{ cause: 'none' }, /no dead letters to discard that match/],
  ])('by %j is refused', async (choice, message) => {
    const refused = expect.objectContaining({ type: 'conflict', message: expect.stringMatching(message) });
    await expect(selected({ ...choice, discard: 'x' })).rejects.toEqual(refused);
  });
});

it('a reason is stored on one line, in characters that every service accepts', () => {
  expect(discardReason('test\n\t orders\uffff')).toBe('test orders\ufffd');
  expect(discardReason('x'.repeat(300))).toHaveLength(200);
});

it('a row and a line of an earlier version count no discarded items', async () => {
  const { table } = memoryTable();
  for (const entity of [toBatchEntity(batch), toIndexEntity(batch)]) {
    const { discarded: _discarded, ...older } = entity;
    await table.createEntity(older as typeof entity);
  }

  expect((await readBatch(table, BATCH))?.row.discarded).toBe(0);
  for await (const line of batchesOfDay(table, batchDate(BATCH)))
    expect(line).toMatchObject({ id: BATCH, discarded: 0 });
  expect.assertions(2);
});
