import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from '../../../shared/contract/line-steps.ts';
import { lineOfItem } from '../../../shared/contract/payload-index.ts';
import { chunkRecords, type RawChunk } from '../../../shared/intake/chunk-records.ts';
import type { RecordBlock } from '../../../shared/intake/parse/record-block.ts';
import { collect } from './uploads.ts';

interface Line {
  text: string;
  line: number;
}

function toBlock(records: readonly Line[]): RecordBlock {
  let end = 0;
  const ends = records.map(({ text }) => (end += Buffer.byteLength(text) + 1));
  return {
    bytes: Buffer.from(records.map(({ text }) => `${text}\n`).join('')),
    ends,
    lines: records.map((each) => each.line),
    from: { offset: 0, line: records[0]?.line ?? 1, column: 1 },
  };
}

async function* inBlocks(records: readonly Line[], size: number): AsyncGenerator<RecordBlock> {
  for (let start = 0; start < records.length; start += size) yield toBlock(records.slice(start, start + size));
}

/** Too large for the pool from which Node allocates small buffers. */
const long = (count: number): Line[] => plain(count).map(({ text, line }) => ({ text: text.repeat(4_000), line }));

const plain = (count: number): Line[] =>
  Array.from({ length: count }, (_, index) => ({ text: `${index}`, line: index + 1 }));
const show = ({ end: _end, release: _release, bytes, lines, ...chunk }: RawChunk): object => ({
  ...chunk,
  lines: [...runsOf(lines)],
  bytes: bytes.toString(),
});

describe('chunkRecords', () => {
  it('ends a chunk at the maximum number of items', async () => {
    const chunks = await collect(chunkRecords(inBlocks(plain(5), 3), { maxItems: 2, maxBytes: 1_000 }));
    expect(chunks.map(show)).toEqual([
      { bytes: '0\n1\n', items: 2, firstItem: 0, firstLine: 1, lines: [[1, 1]] },
      { bytes: '2\n3\n', items: 2, firstItem: 2, firstLine: 3, lines: [[1, 1]] },
      { bytes: '4\n', items: 1, firstItem: 4, firstLine: 5, lines: [] },
    ]);
  });

  it('ends a chunk before it exceeds the maximum size, and puts a larger record into a separate chunk', async () => {
    const records = ['aa', 'bb', 'cccccccccc', 'd'].map((text, index) => ({ text, line: index + 1 }));
    const chunks = await collect(chunkRecords(inBlocks(records, 9), { maxItems: 9, maxBytes: 6 }));
    expect(chunks.map((chunk) => chunk.bytes.toString())).toEqual(['aa\nbb\n', 'cccccccccc\n', 'd\n']);
  });

  it('encodes the lines of plain NDJSON as one run', async () => {
    const [chunk] = await collect(chunkRecords(inBlocks(plain(5_000), 700), { maxItems: 5_000, maxBytes: 1e6 }));
    expect(chunk && show(chunk)).toMatchObject({ items: 5_000, firstLine: 1, lines: [[4_999, 1]] });
  });

  it('keeps few bytes per item for lines without any run', async () => {
    const records = plain(99_999).map(({ text }, index) => ({ text, line: 1 + index + Math.floor(index / 2) }));
    const [chunk] = await collect(chunkRecords(inBlocks(records, 50_000), { maxItems: 1e5, maxBytes: 1e6 }));
    expect([...runsOf(chunk?.lines ?? Buffer.alloc(0))]).toHaveLength(99_998);
    expect(chunk?.lines.length).toBe(2 * 99_998);
  });

  it('returns no chunk without records', async () => {
    expect(await collect(chunkRecords(inBlocks([], 1), { maxItems: 1, maxBytes: 1 }))).toEqual([]);
  });

  it('reuses the memory of released chunks, and of no others', async () => {
    const texts: string[] = [];
    const memory: ArrayBufferLike[] = [];
    const kept: [bytes: Buffer, text: string][] = [];
    for await (const chunk of chunkRecords(inBlocks(long(40), 3), { maxItems: 4, maxBytes: 1e6 })) {
      const text = chunk.bytes.toString();
      texts.push(text);
      memory.push(chunk.bytes.buffer);
      // Every third chunk is kept, like by a caller that does not call release.
      if (kept.length * 3 < texts.length) kept.push([chunk.bytes, text]);
      else chunk.release?.();
    }
    expect(texts.join('')).toBe(toBlock(long(40)).bytes.toString());
    expect(kept.map(([bytes]) => bytes.toString())).toEqual(kept.map(([, text]) => text));
    expect(new Set(memory).size).toBeLessThan(memory.length);
  });

  it('keeps all records with order and line within the limits, for any division into blocks', async () => {
    const record = fc.record({ text: fc.string({ unit: 'grapheme-ascii', maxLength: 20 }), step: fc.nat({ max: 3 }) });
    const limits = fc.record({ maxItems: fc.integer({ min: 1, max: 7 }), maxBytes: fc.integer({ min: 1, max: 40 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(record), limits, fc.integer({ min: 1, max: 9 }), async (steps, limit, size) => {
        let line = 1;
        const records = steps.map(({ text, step }) => {
          line += step;
          return { text, line };
        });
        const chunks = await collect(chunkRecords(inBlocks(records, size), limit));
        const inOne = await collect(chunkRecords(inBlocks(records, 1_000), limit));
        expect(chunks.map(show)).toEqual(inOne.map(show));
        expect(Buffer.concat(chunks.map((chunk) => chunk.bytes))).toEqual(toBlock(records).bytes);
        for (const chunk of chunks) {
          expect(chunk.items).toBeLessThanOrEqual(limit.maxItems);
          if (chunk.items > 1) expect(chunk.bytes.length).toBeLessThanOrEqual(limit.maxBytes);
          for (let index = chunk.firstItem; index < chunk.firstItem + chunk.items; index++)
            expect(lineOfItem(chunk, index)).toBe(records[index]?.line);
        }
      }),
    );
  });
});
