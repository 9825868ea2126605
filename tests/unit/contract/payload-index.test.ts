import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../shared/contract/errors.ts';
import { encodeFrameSync, skippableFrame } from '../../../shared/contract/frame.ts';
import { type ChunkEntry, encodeIndex, lineOfItem, readIndex } from '../../../shared/contract/payload-index.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const chunks: ChunkEntry[] = [
  {
    offset: 0,
    length: 50,
    bytes: 500,
    items: 4,
    firstItem: 0,
    firstLine: 1,
    lines: [
      [2, 1],
      [1, 5],
    ],
    digest,
  },
  { offset: 50, length: 9, bytes: 10, items: 1, firstItem: 4, firstLine: 10, lines: [], digest },
];
const frameOf = (index: unknown): Buffer => skippableFrame(encodeFrameSync(Buffer.from(JSON.stringify(index))));

describe('the payload index', () => {
  it('decodes to the original entries', async () => {
    expect(readIndex(await encodeIndex(chunks))).toEqual(chunks);
  });

  it('is refused if it is truncated at any position', async () => {
    const frame = await encodeIndex(chunks);
    for (let length = 0; length < frame.length; length++)
      expect(() => readIndex(frame.subarray(0, length))).toThrow(FrameError);
  });

  it.each([
    ['another version', { v: 2, chunks }],
    ['a field of another type', { v: 1, chunks: [{ ...chunks[0], length: '50' }] }],
    ['a missing field', { v: 1, chunks: [{ ...chunks[0], digest: undefined }] }],
    ['a gap between chunks', { v: 1, chunks: [chunks[0], { ...chunks[1], offset: 51 }] }],
    ['a gap between items', { v: 1, chunks: [chunks[0], { ...chunks[1], firstItem: 5 }] }],
    ['lines for other items', { v: 1, chunks: [{ ...chunks[0], lines: [[2, 1]] }] }],
    ['no object', null],
  ])('is refused with %s', (_, index) => {
    expect(() => readIndex(frameOf(index))).toThrow(FrameError);
  });

  it('is refused if it is not JSON', () => {
    expect(() => readIndex(skippableFrame(encodeFrameSync(Buffer.from('{'))))).toThrow(FrameError);
    expect(() => readIndex(skippableFrame(Buffer.from('not zstd')))).toThrow(FrameError);
  });
});

describe('lineOfItem', () => {
  const [first, second] = chunks as [ChunkEntry, ChunkEntry];

  it.each([
    [first, 0, 1],
    [first, 1, 2],
    [first, 2, 3],
    [first, 3, 8],
    [second, 4, 10],
  ])('adds up the steps (%#)', (entry, index, line) => {
    expect(lineOfItem(entry, index)).toBe(line);
  });

  it.each([-1, 4, 0.5, Number.NaN])('refuses item %d, which is not in the chunk', (index) => {
    expect(() => lineOfItem(first, index)).toThrow(RangeError);
  });
});
