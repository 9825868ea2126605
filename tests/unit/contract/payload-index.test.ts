import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../shared/contract/errors.ts';
import { encodeFrameSync, skippableFrame } from '../../../shared/contract/frame.ts';
import {
  type ChunkEntry,
  groupFrame,
  lineOfItem,
  readDirectory,
  readGroup,
} from '../../../shared/contract/payload-index.ts';
import { IndexWriter } from '../../../shared/contract/payload-index-writer.ts';
import { VarintWriter } from '../../../shared/contract/varint.ts';
import { lineSteps } from '../../helpers/data/line-steps.ts';

const digest = `sha256:${'0f'.repeat(32)}`;
const chunks: ChunkEntry[] = [
  { offset: 0, length: 50, bytes: 500, items: 4, firstItem: 0, firstLine: 1, lines: lineSteps([2, 1], [1, 5]), digest },
  { offset: 50, length: 9, bytes: 10, items: 1, firstItem: 4, firstLine: 10, lines: lineSteps(), digest },
];
/** Where the end of the index begins. */
const AT = 59;

function writerOf(entries: Iterable<ChunkEntry>): IndexWriter {
  const writer = new IndexWriter();
  for (const entry of entries) writer.add(entry);
  return writer;
}

const read = (end: Uint8Array, at = AT): ChunkEntry[] =>
  readDirectory(end).flatMap((group) => readGroup(groupFrame(end, at, group), group));

/** Chunks with a run of lines per item, which do not compress. */
function* irregular(count: number, items: number): Generator<ChunkEntry> {
  let random = 1;
  const next = (): number => (random = (random * 48_271) % 2_147_483_647);
  const lines = lineSteps(...Array.from({ length: items - 1 }, () => [1, 1 + (next() % 100)] as const));
  for (let n = 0; n < count; n++)
    yield { offset: n * 10, length: 10, bytes: 20, items, firstItem: n * items, firstLine: 1, lines, digest };
}

describe('the payload index', () => {
  it('decodes to the original entries', () => {
    expect(read(writerOf(chunks).end(AT))).toEqual(chunks);
  });

  it('counts its chunks, items and bytes', () => {
    expect(writerOf(chunks)).toMatchObject({ chunks: 2, items: 5, recordBytes: 510 });
  });

  it('is refused if it is truncated at any position', () => {
    const end = writerOf(chunks).end(AT);
    for (let length = 0; length < end.length; length++) {
      expect(() => read(end.subarray(0, length))).toThrow(FrameError);
      if (length > 16) expect(() => read(skippableFrame(end.subarray(8, length)))).toThrow(FrameError);
    }
  });

  it('is refused if a byte of it is damaged', () => {
    const end = writerOf(chunks).end(AT);
    for (let at = 0; at < end.length; at++) {
      const damaged = Buffer.from(end);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      let entries: ChunkEntry[] | undefined;
      try {
        entries = read(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError);
      }
      // Some bits of a zstd header do not change what it decodes to.
      if (entries) expect(entries).toEqual(chunks);
    }
  });

  it('is refused in another version', () => {
    const directory = encodeFrameSync(new VarintWriter().write(3).bytes());
    const end = skippableFrame(Buffer.concat([directory, Buffer.from([directory.length, 0, 0, 0])]));
    expect(() => readDirectory(end)).toThrow('expected version 2, got 3');
  });

  it('has groups of at most 1,000 chunks, which are read one by one', () => {
    const many = Array.from(
      { length: 2_500 },
      (_, n): ChunkEntry => ({ ...(chunks[1] as ChunkEntry), offset: n * 9, firstItem: n }),
    );
    const end = writerOf(many).end(22_500);
    const groups = readDirectory(end);
    expect(groups.map(({ firstChunk, chunks: count }) => [firstChunk, count])).toEqual([
      [0, 1_000],
      [1_000, 1_000],
      [2_000, 500],
    ]);
    const last = groups.at(-1);
    expect(last && readGroup(groupFrame(end, 22_500, last), last)).toEqual(many.slice(2_000));
    expect(read(end, 22_500)).toEqual(many);
  });

  it('is written in segments, so that memory holds neither the chunks nor their lines', () => {
    const writer = new IndexWriter();
    let written = 0;
    let largest = 0;
    for (const entry of irregular(300, 100_000)) {
      writer.add(entry);
      const segment = writer.takeSegment(written);
      written += segment?.length ?? 0;
      if (entry.firstItem % 700_000 === 0) largest = Math.max(largest, writer.end(written).length);
    }
    expect(written).toBeGreaterThan(8 * 1024 * 1024);
    const end = writer.end(written);
    expect(end.length).toBeLessThan(5 * 1024 * 1024);
    expect(largest).toBeLessThan(5 * 1024 * 1024);
    for (const { bytes } of readDirectory(end)) expect(bytes).toBeLessThan(1024 * 1024);
    expect(readDirectory(end).reduce((sum, { items }) => sum + items, 0)).toBe(30_000_000);
  });

  it('is the same if its writing is resumed from its end at any chunk', () => {
    const entries = [...irregular(12, 50_000)];
    const whole = writerOf(entries).end(120);
    for (let at = 0; at <= entries.length; at++) {
      const resumed = IndexWriter.resume(writerOf(entries.slice(0, at)).end(at * 10), at * 10);
      for (const entry of entries.slice(at)) resumed.add(entry);
      expect(resumed.end(120).equals(whole)).toBe(true);
      expect(resumed).toMatchObject({ chunks: 12, items: 600_000, recordBytes: 240 });
    }
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
