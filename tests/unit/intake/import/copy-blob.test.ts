import { Readable } from 'node:stream';
import type { BlobClient } from '@azure/storage-blob';
import { describe, expect, it } from 'vitest';
import { type Copy, copyBlob, type TargetBlob } from '../../../../shared/intake/import/copy-blob.ts';
import { serviceError } from '../../../helpers/data/factories.ts';

const CONTENT = Buffer.from('0123456789abcdefghij');
const METADATA = { order: '0x1' };

/** Creates a blob that keeps its uncommitted blocks. */
function target() {
  const blocks = new Map<string, Buffer>();
  let committed: { content: string; metadata: Record<string, string> } | undefined;
  const blob = {
    getBlockList: async () => {
      if (blocks.size === 0) throw serviceError(404);
      return { uncommittedBlocks: [...blocks].map(([name, { length: size }]) => ({ name, size })) };
    },
    stageBlock: async (id: string, block: Buffer) => void blocks.set(id, Buffer.from(block)),
    commitBlockList: async (ids: string[], { metadata }: { metadata: Record<string, string> }) => {
      if (committed) throw serviceError(409);
      const found = ids.map((id) => blocks.get(id) ?? Buffer.from('missing'));
      committed = { content: Buffer.concat(found).toString(), metadata };
    },
    getProperties: async () => {
      if (!committed) throw serviceError(404);
      return { metadata: committed.metadata };
    },
  };
  return {
    blob: blob as unknown as TargetBlob,
    blocks,
    content: () => committed?.content,
    put: (metadata: Record<string, string>) => {
      committed = { content: 'other', metadata };
    },
  };
}

interface Source {
  content: Buffer;
  etag: string;
  /** Where the next download ends with an error. */
  breaksAt: number | undefined;
  breaksWith: Error;
  /** Called before each piece. */
  beforePiece: () => void;
}

/** Creates a source, and records the requested offsets. */
function source(given: Partial<Source> = {}) {
  const { content, etag, breaksAt, breaksWith, beforePiece }: Source = {
    ...{ content: CONTENT, etag: '"v1"', breaksAt: undefined, breaksWith: serviceError(503), beforePiece: () => {} },
    ...given,
  };
  const asked: number[] = [];
  const pieces = function* (offset: number) {
    const end = breaksAt ?? content.length;
    for (let at = offset; at < end; at += 3) {
      beforePiece();
      yield content.subarray(at, Math.min(at + 3, end));
    }
    if (breaksAt !== undefined) throw breaksWith;
  };
  const blob = {
    ...{ containerName: 'uploads', name: 'a.csv' },
    download: async (offset: number) => {
      asked.push(offset);
      if (offset > 0 && offset >= content.length) throw serviceError(416);
      const readableStreamBody = Readable.from(pieces(offset), { highWaterMark: 1 });
      return { etag, contentLength: content.length - offset, readableStreamBody };
    },
  };
  return { blob: blob as unknown as BlobClient, asked };
}

const copyOf = (from: { blob: BlobClient }, to: TargetBlob, options: Partial<Copy> = {}): Promise<void> =>
  copyBlob({ source: from.blob, target: to, maxBytes: 1_000, metadata: METADATA, blockBytes: 4, ...options });

/** Copies until the connection is lost after two blocks. */
const copyTwoBlocks = (to: TargetBlob) =>
  expect(copyOf(source({ breaksAt: 14 }), to)).rejects.toMatchObject({ statusCode: 503 });

describe('copying a blob', () => {
  it.each([CONTENT, Buffer.alloc(0)])('copies the content: %o', async (bytes) => {
    const { blob, content } = target();

    await copyOf(source({ content: bytes }), blob);

    expect(content()).toBe(bytes.toString());
  });

  it('resumes after a crash, and reads only the last stored block again', async () => {
    const { blob, content, blocks } = target();
    await copyTwoBlocks(blob);
    expect(blocks.size).toBe(2);
    const again = source();

    await copyOf(again, blob);

    expect(again.asked).toEqual([6]);
    expect(content()).toBe(CONTENT.toString());
  });

  it.each([
    ['has another version', 'ABCDEFGHIJKLM', [6, 0]],
    ['has become shorter', 'AB', [6, 0, 0]],
  ])('starts from the beginning after a crash when the source %s', async (_what, text, expected) => {
    const { blob, content } = target();
    await copyTwoBlocks(blob);
    const again = source({ content: Buffer.from(text), etag: '"v2"' });

    await copyOf(again, blob);

    expect(again.asked).toEqual(expected);
    expect(content()).toBe(text);
  });

  it('refuses a source that changes during the copy', async () => {
    const { blob, content } = target();

    const copied = copyOf(source({ breaksAt: 8, breaksWith: serviceError(412) }), blob);

    await expect(copied).rejects.toMatchObject({ type: 'source-unreadable' });
    expect(content()).toBeUndefined();
  });

  it.each([
    [404, /no blob "a\.csv" in container "uploads"/],
    [409, /cannot be read: BlobArchived/],
  ])('refuses a source that cannot be read: %i', async (status, message) => {
    const blob = { containerName: 'uploads', name: 'a.csv', download: () => Promise.reject(refusal(status)) };

    const copied = copyOf({ blob: blob as unknown as BlobClient }, target().blob);

    await expect(copied).rejects.toMatchObject({
      type: 'source-unreadable',
      message: expect.stringMatching(message),
    });
  });
  const refusal = (status: number) => serviceError(status, status === 409 ? 'BlobArchived' : undefined);

  it('refuses a source over the limit before it stores anything, also when it resumes', async () => {
    const { blob, blocks } = target();
    await expect(copyOf(source(), blob, { maxBytes: 19 })).rejects.toMatchObject({ type: 'too-large' });
    expect(blocks.size).toBe(0);

    await copyTwoBlocks(blob);

    await expect(copyOf(source(), blob, { maxBytes: 19 })).rejects.toMatchObject({ type: 'too-large' });
  });

  it('ends when its signal aborts, and a repeat resumes from there', async () => {
    const { blob, content, blocks } = target();
    const ending = new AbortController();
    const stopping = source({ beforePiece: () => blocks.size === 2 && ending.abort() });
    await expect(copyOf(stopping, blob, { signal: ending.signal })).rejects.toMatchObject({ name: 'AbortError' });
    const again = source();

    await copyOf(again, blob);

    expect(again.asked).toEqual([6]);
    expect(content()).toBe(CONTENT.toString());
  });

  it('recognizes the blob of an earlier attempt, and reads nothing', async () => {
    const { blob, put } = target();
    const from = source();
    put(METADATA);
    await copyOf(from, blob);
    put({});

    await expect(copyOf(from, blob)).rejects.toMatchObject({ type: 'conflict' });
    expect(from.asked).toEqual([]);
  });
});
