import { describe, expect, it } from 'vitest';
import { runsFrom } from '../../../../shared/commands/redrive/item-set.ts';
import { FrameBuilder, type FrameLimits, placesOf } from '../../../../shared/commands/redrive/redrive-frames.ts';
import { decodeFrame } from '../../../../shared/contract/frame.ts';
import { revisionOf } from '../../../../shared/contract/names.ts';

/** 2026-01-01T00:00:00Z */
const START_MS = 1_767_225_600_000;

async function build(count: number, limits: Partial<FrameLimits>) {
  const builder = new FrameBuilder({ maxItems: 100, maxBytes: 1_000, startMs: START_MS, ...limits });
  for (let index = 0; index < count; index += 1) await builder.add({ index: index * 2, json: `{"n":${index}}` });
  await builder.close();
  return builder.made;
}

const linesOf = ({ frames, chunks }: Awaited<ReturnType<typeof build>>, n: number): unknown[] =>
  decodeFrame(frames[n] ?? Buffer.alloc(0), { bytes: chunks[n]?.bytes ?? 0, digest: chunks[n]?.digest ?? '' })
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the frames of a redrive', () => {
  it('contain items without attempts', async () => {
    const made = await build(2, {});
    expect(linesOf(made, 0)).toEqual([
      { index: 0, attempts: [], item: { n: 0 } },
      { index: 2, attempts: [], item: { n: 1 } },
    ]);
    expect(made.chunks).toMatchObject([{ offset: 0, items: 2, firstItem: 0, lastItem: 2 }]);
  });

  it('contain items in the order of their positions', async () => {
    const builder = new FrameBuilder({ maxItems: 100, maxBytes: 1_000, startMs: START_MS });
    for (const index of [7, 3, 4]) await builder.add({ index, json: String(index) });
    await builder.close();
    expect(linesOf(builder.made, 0)).toEqual([3, 4, 7].map((index) => ({ index, attempts: [], item: index })));
    expect(builder.made.chunks).toMatchObject([{ items: 3, firstItem: 3, lastItem: 7 }]);
  });

  it.each([
    ['items', { maxItems: 3 }, [3, 3, 1]],
    ['bytes', { maxBytes: 15 }, [2, 2, 2, 1]],
    ['the items of five seconds at the rate', { ratePerSecond: 0.8 }, [4, 3]],
    ['a rate of less than one item in five seconds', { ratePerSecond: 0.1 }, [1, 1, 1, 1, 1, 1, 1]],
  ])('are limited by %s', async (_what, limits, sizes) => {
    const made = await build(7, limits);
    expect(made.chunks.map(({ items }) => items)).toEqual(sizes);
    expect(made.items).toBe(7);
    expect(made.chunks.at(-1)?.offset).toBe(made.bytes - (made.frames.at(-1)?.length ?? 0));
  });

  it('are due one after another at the rate, the first one immediately', async () => {
    const made = await build(7, { ratePerSecond: 0.8 });
    expect(made.chunks.map(({ dueAt }) => dueAt)).toEqual([undefined, '2026-01-01T00:00:05.000Z']);
    expect(linesOf(made, 1)[0]).toEqual({
      ...{ index: 8, attempts: [], notBefore: '2026-01-01T00:00:05.000Z' },
      item: { n: 4 },
    });
  });

  it('do not exist without items', async () => {
    expect(await build(0, {})).toEqual({ frames: [], chunks: [], items: 0, bytes: 0 });
  });
});

describe('runs of items', () => {
  it.each([
    [[3], [[3, 4]]],
    [
      [3, 4, 5, 9],
      [
        [3, 6],
        [9, 10],
      ],
    ],
    [
      [1, 3, 5, 6],
      [
        [1, 2],
        [3, 4],
        [5, 7],
      ],
    ],
  ])('of %j are %j', async (indices, runs) => {
    const { firstItem, steps } = await placesOf(indices);
    expect([...runsFrom(firstItem, steps)]).toEqual(runs);
  });
});

describe('the revision of a chunk', () => {
  it.each([
    ['000012', 0],
    ['000012.s03.r2', 0],
    ['v0001.000000', 1],
    ['v0012.000003.r1', 12],
  ])('of %s is %i', (chunk, revision) => expect(revisionOf(chunk)).toBe(revision));
});
