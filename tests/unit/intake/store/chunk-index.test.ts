import { describe, expect, it } from 'vitest';
import { FrameError } from '../../../../shared/contract/errors.ts';
import type { ChunkEntry } from '../../../../shared/contract/payload-index.ts';
import { IndexWriter } from '../../../../shared/contract/payload-index-writer.ts';
import { ChunkIndex } from '../../../../shared/intake/store/chunk-index.ts';
import { lineSteps } from '../../../helpers/data/line-steps.ts';
import { collect } from '../uploads.ts';

const ITEMS = 50_000;

/** A payload of `count` chunks, whose lines do not compress: its index has segments. */
function payloadOf(count: number): { entries: ChunkEntry[]; payload: Buffer; at: number } {
  const writer = new IndexWriter();
  const entries: ChunkEntry[] = [];
  const parts: Buffer[] = [];
  let offset = 0;
  let random = 1;
  const append = (bytes: Buffer): void => {
    parts.push(bytes);
    offset += bytes.length;
  };
  for (let n = 0; n < count; n++) {
    const steps = Array.from({ length: ITEMS - 1 }, () => {
      random = (random * 48_271) % 2_147_483_647;
      return [1, random % 100] as const;
    });
    const place = { offset, length: 7, bytes: 20, items: ITEMS, firstItem: n * ITEMS, firstLine: n };
    const entry = { ...place, lines: lineSteps(...steps), digest: `sha256:${String(n).padStart(64, '0')}` };
    entries.push(entry);
    writer.add(entry);
    append(Buffer.alloc(7));
    const segment = writer.takeSegment(offset);
    if (segment) append(segment);
  }
  const at = offset;
  append(writer.end(at));
  return { entries, payload: Buffer.concat(parts), at };
}

const { entries, payload, at } = payloadOf(130);

function opened(content = payload): { index: ChunkIndex; reads: [offset: number, count: number][] } {
  const reads: [number, number][] = [];
  const read = async (offset: number, count: number): Promise<Buffer> => {
    reads.push([offset, count]);
    return content.subarray(offset, offset + count);
  };
  return { index: new ChunkIndex(payload.subarray(at), at, read), reads };
}

describe('ChunkIndex', () => {
  it('yields all chunks in order, with one read per segment', async () => {
    const { index, reads } = opened();
    expect(index.chunks).toBe(130);
    expect(await collect(index.entries())).toEqual(entries);
    expect(reads.length).toBeGreaterThanOrEqual(1);
    expect(reads.length).toBeLessThanOrEqual(Math.ceil(payload.length / (4 * 1024 * 1024)));
    for (const [, count] of reads) expect(count).toBeLessThanOrEqual(5 * 1024 * 1024);
  });

  it('yields chunks from any number on, as many as requested', async () => {
    const { index } = opened();
    expect(await collect(index.entries(77))).toEqual(entries.slice(77));
    expect(await collect(index.entries(130))).toEqual([]);
    expect(await index.some(60, 13)).toEqual(entries.slice(60, 73));
    expect(await index.some(128, 13)).toEqual(entries.slice(128));
  });

  it('finds the chunk of an item with at most one read, and without any in the end of the index', async () => {
    const { index, reads } = opened();
    expect(await index.find(130 * ITEMS - 1)).toEqual({ number: 129, entry: entries[129] });
    expect(await index.find(130 * ITEMS)).toBeUndefined();
    expect(reads).toEqual([]);
    expect(await index.find(0)).toEqual({ number: 0, entry: entries[0] });
    expect(await index.find(3 * ITEMS + 5)).toEqual({ number: 3, entry: entries[3] });
    expect(reads).toHaveLength(1);
  });

  it('needs no read for the index of an upload of a million items', async () => {
    const small = new IndexWriter();
    for (const [n, entry] of entries.slice(0, 20).entries()) small.add({ ...entry, offset: 7 * n });
    const none = (): Promise<never> => Promise.reject(new Error('must not read'));
    expect(await collect(new ChunkIndex(small.end(140), 140, none).entries())).toHaveLength(20);
  });

  it('is refused if the payload ends inside it', async () => {
    await expect(opened(payload.subarray(0, 1_000_000)).index.find(0)).rejects.toThrow(FrameError);
  });
});
