import { describe, expect, it } from 'vitest';
import { deadItemSchema } from '../../../../shared/contract/outcome.ts';
import { splitChunk, unrunOutcome } from '../../../../shared/processing/outcome/unrun-outcomes.ts';
import { BATCH, chunkJob, NOW_MS, readAll } from '../../../helpers/data/chunks.ts';

const error = new Error('blob of 3 frames is gone');
const common = { error, nowMs: NOW_MS };

describe('unrunOutcome', () => {
  it('only counts the items of a cancelled chunk', () => {
    const { reference } = chunkJob([1, 2, 3]);
    const { header, causes } = unrunOutcome({ ...common, reference, ending: 'cancelled' });
    expect(header.ending).toBe('cancelled');
    expect(header.counts).toEqual({ items: 3, succeeded: 0, dead: 0, cancelled: 3, retried: 0 });
    expect(header).not.toHaveProperty('dead');
    expect(causes).toEqual({});
  });

  it('makes every item of the part a dead letter, at its index', async () => {
    const { reference } = chunkJob([1, 2, 3, 4], { skip: 1, take: 2 });
    const outcome = unrunOutcome({ ...common, reference, ending: 'payloadMissing' });
    const { dead } = await readAll(outcome);
    expect(outcome.header.counts).toMatchObject({ items: 2, dead: 2 });
    expect(dead.map(({ index, reason }) => [index, reason])).toEqual([
      [101, 'payloadMissing'],
      [102, 'payloadMissing'],
    ]);
    expect(dead[0]).not.toHaveProperty('item');
    expect(deadItemSchema.parse(dead[0])).toEqual(dead[0]);
    expect(outcome.causes).toEqual({ 'payloadMissing: Error: blob of # frames is gone': 2 });
  });

  it('includes items when the frame can be read, and charges an item that killed its process', async () => {
    const { reference, frame } = chunkJob([{ id: 1 }]);
    const outcome = unrunOutcome({ ...common, reference, frame, ending: 'killed' });
    expect((await readAll(outcome)).dead).toMatchObject([
      {
        index: 100,
        reason: 'killed',
        error: { name: 'Error', message: 'blob of 3 frames is gone' },
        attempts: [{ at: '2026-01-01T00:00:00.000Z', error: { name: 'Error', message: 'blob of 3 frames is gone' } }],
        version: 3,
        item: { id: 1 },
      },
    ]);
  });

  it('takes index and attempts from the frame of a retries chunk', async () => {
    const attempts = [{ at: '2025-12-31T00:00:00.000Z', error: { name: 'Error', message: 'boom' } }];
    const { reference, frame } = chunkJob([{ index: 4_711, attempts, item: 5 }], { kind: 'retries' });
    const { dead } = await readAll(unrunOutcome({ ...common, reference, frame, ending: 'killed' }));
    expect(dead[0]).toMatchObject({ index: 4_711, item: 5 });
    expect(dead[0]?.attempts).toHaveLength(2);
  });

  it('omits items when the frame is broken', async () => {
    const { reference, frame } = chunkJob([1, 2]);
    const broken = Uint8Array.from(frame, (byte, i) => (i === 9 ? byte ^ 1 : byte));
    const { dead } = await readAll(unrunOutcome({ ...common, reference, frame: broken, ending: 'digest' }));
    expect(dead.map(({ index, item }) => [index, item])).toEqual([
      [100, undefined],
      [101, undefined],
    ]);
  });
});

describe('splitChunk', () => {
  it.each([
    [
      10,
      undefined,
      3,
      [
        [0, 3],
        [3, 3],
        [6, 4],
      ],
    ],
    [
      10,
      [4, 5],
      2,
      [
        [4, 2],
        [6, 3],
      ],
    ],
    [
      2,
      undefined,
      32,
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [1, undefined, 32, [[0, 1]]],
  ] as const)('cuts %i items (part %j) into %i parts', (items, part, parts, expected) => {
    const range = part ? { skip: part[0], take: part[1] } : {};
    const { reference } = chunkJob(
      Array.from({ length: items }, (_, i) => i),
      range,
    );
    const { header } = splitChunk(reference, parts);
    expect(header.ending).toBe('split');
    expect(header.parts).toEqual(expected);
    expect(header.counts.items).toBe(expected.reduce((sum, [, take]) => sum + take, 0));
  });

  it('creates no more parts than a receive can contain', () => {
    const { reference } = chunkJob(
      Array.from({ length: 100 }, (_, i) => i),
      { batch: BATCH },
    );
    expect(splitChunk(reference, 90).header.parts).toHaveLength(32);
  });
});
