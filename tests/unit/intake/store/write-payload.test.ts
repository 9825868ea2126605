import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFrame, digestOf } from '../../../../shared/contract/frame.ts';
import { MAX_CHUNKS } from '../../../../shared/contract/names.ts';
import { type ChunkEntry, lineOfItem } from '../../../../shared/contract/payload-index.ts';
import { IndexWriter } from '../../../../shared/contract/payload-index-writer.ts';
import type { RawChunk } from '../../../../shared/intake/chunk-records.ts';
import { decodeUpload } from '../../../../shared/intake/parse/decode-upload.ts';
import { START } from '../../../../shared/intake/parse/position.ts';
import type { PayloadBlob } from '../../../../shared/intake/store/block-upload.ts';
import { ChunkIndex } from '../../../../shared/intake/store/chunk-index.ts';
import { type StoredPayload, writePayload } from '../../../../shared/intake/store/write-payload.ts';
import { lineSteps } from '../../../helpers/data/line-steps.ts';
import { collect, collectText, cut } from '../uploads.ts';

interface FakeBlob {
  blob: PayloadBlob;
  calls: string[];
  /** The visible content. */
  content: Buffer | undefined;
  /** Maximum number of bytes that stageBlock calls hold at a time. */
  mostStaging: number;
}

const httpError = (statusCode: number): Error => Object.assign(new Error(`HTTP ${statusCode}`), { statusCode });

/** A block blob: staged blocks are visible after the commit, and a create-only call refuses an existing blob. */
function fakeBlob(faults: { stage?: number; commit?: 'refused' | 'answer lost' } = {}): FakeBlob {
  const blocks = new Map<string, Buffer>();
  let metadata: Record<string, string> | undefined;
  let staging = 0;
  const create = (
    bytes: Buffer,
    options: { conditions?: { ifNoneMatch?: string }; metadata?: Record<string, string> },
  ): void => {
    expect(options.conditions?.ifNoneMatch).toBe('*');
    if (fake.content) throw httpError(409);
    if (faults.commit === 'refused') throw httpError(403);
    fake.content = bytes;
    metadata = options.metadata;
    if (faults.commit === 'answer lost') throw httpError(409); // The result of the SDK's retry of the call.
  };
  const calls = {
    async upload(body: Buffer, length: number, options: object) {
      fake.calls.push('upload');
      expect(length).toBe(body.length);
      create(body, options);
    },
    async stageBlock(id: string, body: Buffer, length: number) {
      fake.calls.push('stage');
      expect(length).toBe(body.length);
      staging += body.length;
      fake.mostStaging = Math.max(fake.mostStaging, staging);
      await new Promise((done) => setImmediate(done));
      staging -= body.length;
      if (fake.calls.length === faults.stage) throw httpError(500);
      blocks.set(id, body);
    },
    async commitBlockList(ids: string[], options: object) {
      fake.calls.push('commit');
      create(Buffer.concat(ids.map((id) => blocks.get(id) ?? Buffer.from('no such block'))), options);
    },
    getProperties: async () => ({ contentLength: fake.content?.length, metadata }),
  };
  const fake: FakeBlob = { blob: calls as unknown as PayloadBlob, calls: [], content: undefined, mostStaging: 0 };
  return fake;
}

const chunk = (firstItem: number, records: readonly string[]): RawChunk => ({
  bytes: Buffer.from(records.map((record) => `${record}\n`).join('')),
  items: records.length,
  firstItem,
  firstLine: firstItem + 1,
  lines: lineSteps([records.length - 1, 1]),
  end: { at: START, items: 0, recordBytes: 0, nextItem: firstItem + records.length },
});

async function* chunksOf(records: readonly string[], size: number): AsyncGenerator<RawChunk> {
  for (let first = 0; first < records.length; first += size) yield chunk(first, records.slice(first, first + size));
}

/** Reads the index of a stored payload. */
async function entriesOf(fake: FakeBlob, { indexOffset, indexEnd }: StoredPayload): Promise<ChunkEntry[]> {
  const content = fake.content ?? Buffer.alloc(0);
  expect(content.subarray(indexOffset).equals(indexEnd)).toBe(true);
  const read = async (offset: number, count: number): Promise<Buffer> => content.subarray(offset, offset + count);
  return collect(new ChunkIndex(indexEnd, indexOffset, read).entries());
}

// Digits of a hash do not compress, so they fill blocks.
const records = Array.from({ length: 100 }, (_, index) =>
  JSON.stringify({ index, text: digestOf(Buffer.from([index])) }),
);
const ndjson = records.map((record) => `${record}\n`).join('');

describe('writePayload', () => {
  it('writes a small payload with one Put, with an index that finds every chunk', async () => {
    const fake = fakeBlob();
    const payload = await writePayload({ blob: fake.blob, chunks: chunksOf(records, 30) });
    expect(fake.calls).toEqual(['upload']);
    expect(payload).toMatchObject({ items: 100, bytes: Buffer.byteLength(ndjson), storedBytes: fake.content?.length });
    expect(payload.indexOffset + payload.indexLength).toBe(payload.storedBytes);
    expect(payload.chunks).toBe(4);
    const entries = await entriesOf(fake, payload);
    expect(entries.map(({ items, firstItem }) => [items, firstItem])).toEqual([
      [30, 0],
      [30, 30],
      [30, 60],
      [10, 90],
    ]);
    for (const entry of entries) {
      const frame = fake.content?.subarray(entry.offset, entry.offset + entry.length) ?? Buffer.alloc(0);
      const lines = decodeFrame(frame, entry).toString().trimEnd().split('\n');
      expect(lines).toEqual(records.slice(entry.firstItem, entry.firstItem + entry.items));
      expect(lineOfItem(entry, entry.firstItem + entry.items - 1)).toBe(entry.firstItem + entry.items);
    }
  });

  it('releases the memory of a chunk once, after it is compressed', async () => {
    const released: number[] = [];
    async function* releasing(): AsyncGenerator<RawChunk> {
      for await (const each of chunksOf(records, 7)) {
        const release = (): void => {
          released.push(each.firstItem);
          each.bytes.fill('#');
        };
        yield { ...each, release };
      }
    }
    const [plain, reusing] = [fakeBlob(), fakeBlob()];
    await writePayload({ blob: plain.blob, chunks: chunksOf(records, 7) });
    await writePayload({ blob: reusing.blob, chunks: releasing() });
    expect(reusing.content).toEqual(plain.content);
    expect(released.sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, index) => index * 7));
  });

  it('stages a larger payload in blocks and commits them', async () => {
    const fake = fakeBlob();
    await writePayload({ blob: fake.blob, chunks: chunksOf(records, 5), blockBytes: 1_000 });
    expect(fake.calls.slice(0, 2)).toEqual(['stage', 'stage']);
    expect(fake.calls.at(-1)).toBe('commit');
  });

  it('stores the same bytes for any block size, and stages one block at a time', async () => {
    const whole = fakeBlob();
    await writePayload({ blob: whole.blob, chunks: chunksOf(records, 7) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20_000 }), async (blockBytes) => {
        const fake = fakeBlob();
        await writePayload({ blob: fake.blob, chunks: chunksOf(records, 7), blockBytes });
        expect(fake.content).toEqual(whole.content);
        expect(fake.mostStaging).toBeLessThan(blockBytes + 2_000);
      }),
    );
  });

  it('stores zstd that decodes to the NDJSON, here and with the zstd tool', async () => {
    const fake = fakeBlob();
    await writePayload({ blob: fake.blob, chunks: chunksOf(records, 30) });
    const limits = { maxBodyBytes: 1e6, maxDecodedBytes: 1e6 };
    expect(await collectText(decodeUpload(cut(fake.content ?? ''), { encoding: 'zstd', limits }))).toBe(ndjson);
    if (hasZstd()) expect(execFileSync('zstd', ['-dc'], { input: fake.content }).toString()).toBe(ndjson);
  });

  it('rethrows errors of its chunks, and leaves nothing visible', async () => {
    const fake = fakeBlob();
    const gone = new Error('The client went away.');
    async function* broken(): AsyncGenerator<RawChunk> {
      yield* chunksOf(records, 10);
      throw gone;
    }
    await expect(writePayload({ blob: fake.blob, chunks: broken(), blockBytes: 500 })).rejects.toBe(gone);
    expect(fake.calls).toContain('stage');
    expect(fake.content).toBeUndefined();
  });

  it.each([1, 2, 5])(
    'fails when block %i cannot be staged, closes its chunks and leaves nothing visible',
    async (stage) => {
      const fake = fakeBlob({ stage });
      let closed = false;
      async function* watched(): AsyncGenerator<RawChunk> {
        try {
          yield* chunksOf(records, 5);
        } finally {
          closed = true;
        }
      }
      const writing = writePayload({ blob: fake.blob, chunks: watched(), blockBytes: 500 });
      await expect(writing).rejects.toMatchObject({ statusCode: 500 });
      expect(closed).toBe(true);
      expect(fake.content).toBeUndefined();
    },
  );

  it('rejects an upload of more chunks than ids can order, and leaves nothing visible', async () => {
    const fake = fakeBlob();
    const index = new IndexWriter();
    index.chunks = MAX_CHUNKS - 1;
    const staged = { blockIds: [], bytes: 0, index };
    const checkpoints = { attempt: '0'.repeat(16), everyBytes: 1, resume: staged, save: async () => {} };
    await expect(writePayload({ blob: fake.blob, chunks: chunksOf(records, 50), checkpoints })).rejects.toMatchObject({
      type: 'too-large',
      message:
        'The upload has over 1000000 chunks. Split it into several batches, or raise chunk.maxItems of its workload.',
    });
    expect(fake.content).toBeUndefined();
  });

  it('refuses to replace a blob', async () => {
    const fake = fakeBlob();
    fake.content = Buffer.from('older');
    await expect(writePayload({ blob: fake.blob, chunks: chunksOf(records, 5) })).rejects.toMatchObject({
      statusCode: 409,
    });
    await expect(
      writePayload({ blob: fake.blob, chunks: chunksOf(records, 5), blockBytes: 500 }),
    ).rejects.toMatchObject({ statusCode: 409 });
    expect(fake.content.toString()).toBe('older');
  });

  it.each([500, 1_000_000])('accepts its own blob if only the response was lost (blocks of %i)', async (blockBytes) => {
    const fake = fakeBlob({ commit: 'answer lost' });
    const payload = await writePayload({ blob: fake.blob, chunks: chunksOf(records, 5), blockBytes });
    expect(payload.storedBytes).toBe(fake.content?.length);
  });
});

function hasZstd(): boolean {
  try {
    execFileSync('zstd', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
