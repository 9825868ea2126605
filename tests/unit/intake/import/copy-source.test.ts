import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../shared/errors.ts';
import { type Copy, copySource, type TargetBlob } from '../../../../shared/intake/import/copy-source.ts';
import { type OpenSource, SourceChangedError } from '../../../../shared/intake/import/source.ts';
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

interface Server {
  content: Buffer;
  etag: string | undefined;
  ranges: boolean;
  /** Offsets at which the connection is lost during the next responses. */
  breaks: number[];
  saysLength?: boolean;
}

/** Creates a source, and records the requested offsets. */
function source(given: Partial<Server> = {}) {
  const server: Server = { content: CONTENT, etag: '"v1"', ranges: true, breaks: [], ...given };
  const asked: number[] = [];
  const open: OpenSource = async ({ offset: from, etag }) => {
    asked.push(from);
    if (etag !== undefined && etag !== server.etag) throw new SourceChangedError('changed');
    const offset = server.ranges ? from : 0;
    const end = server.breaks.shift();
    const { content } = server;
    const body = (async function* () {
      for (let at = offset; at < (end ?? content.length); at += 3)
        yield content.subarray(at, Math.min(at + 3, end ?? content.length));
      if (end !== undefined) throw new Problem('busy', 'broke off');
    })();
    const bytes = server.saysLength === false ? undefined : content.length;
    return { offset, etag: server.etag, bytes, body, close: () => {} };
  };
  return { server, open, asked };
}

const copyOf = (open: OpenSource, blob: TargetBlob, options: Partial<Copy> = {}): Promise<void> =>
  copySource({ open, target: blob, maxBytes: 1_000, metadata: METADATA, blockBytes: 4, ...options });

describe('copying a source', () => {
  it.each([{}, { saysLength: false }, { etag: undefined }, { ranges: false }])(
    'copies the content: %o',
    async (given) => {
      const { blob, content } = target();

      await copyOf(source(given).open, blob);

      expect(content()).toBe(CONTENT.toString());
    },
  );

  it('resumes after the stored blocks when the connection is lost', async () => {
    const { blob, content } = target();
    const { open, asked } = source({ breaks: [8, 14] });

    await copyOf(open, blob);

    expect(content()).toBe(CONTENT.toString());
    expect(asked).toEqual([0, 6, 12]);
  });

  it('fails after five lost connections without a new block', async () => {
    const { open, asked } = source({ breaks: [8, 7, 7, 7, 7, 7, 7, 7] });

    await expect(copyOf(open, target().blob)).rejects.toMatchObject({ type: 'busy' });

    expect(asked).toEqual([0, 6, 6, 6, 6, 6]);
  });

  it('resumes after a crash, and reads only the last stored block again', async () => {
    const { blob, content, blocks } = target();
    await expect(copyOf(source({ breaks: [14], ranges: false }).open, blob)).rejects.toThrow();
    expect(blocks.size).toBe(2);
    const { open, asked } = source();

    await copyOf(open, blob);

    expect(asked).toEqual([6]);
    expect(content()).toBe(CONTENT.toString());
  });

  it.each([
    ['has another version', { etag: '"v2"' }],
    ['has no version', { etag: undefined }],
    ['ignores ranges', { ranges: false }],
  ])('starts from the beginning after a crash when the source %s', async (_what, given) => {
    const { blob, content } = target();
    await expect(copyOf(source({ breaks: [14], ranges: false }).open, blob)).rejects.toThrow();
    const { open, asked } = source({ content: Buffer.from('ABCDEFGHIJKLM'), ...given });

    await copyOf(open, blob);

    expect(asked).toEqual([6, 0]);
    expect(content()).toBe('ABCDEFGHIJKLM');
  });

  it('starts from the beginning after a crash when the source has become shorter', async () => {
    const { blob, content } = target();
    await expect(copyOf(source({ breaks: [18], ranges: false }).open, blob)).rejects.toThrow();
    const { open } = source({ content: Buffer.from('AB') });
    const strict: OpenSource = async (place, signal) => {
      if (place.offset > 2) throw new SourceChangedError('416');
      return open(place, signal);
    };

    await copyOf(strict, blob);

    expect(content()).toBe('AB');
  });

  it('refuses a source that changes during the copy', async () => {
    const { blob, content } = target();
    const { open, server } = source({ breaks: [8] });
    const changing: OpenSource = (place, signal) => {
      if (place.offset > 0) server.etag = '"v2"';
      return open(place, signal);
    };

    await expect(copyOf(changing, blob)).rejects.toMatchObject({ type: 'source-unreadable' });
    expect(content()).toBeUndefined();
  });

  it.each([true, false])('refuses a source over the limit (reports its length: %s)', async (saysLength) => {
    const { blob, blocks } = target();

    const copied = copyOf(source({ saysLength }).open, blob, { maxBytes: 10 });

    await expect(copied).rejects.toMatchObject({ type: 'too-large' });
    expect(blocks.size).toBeLessThan(3);
  });

  it('treats a truncated response like a lost connection', async () => {
    const { open } = source({ ranges: false });
    const short: OpenSource = async (place, signal) => ({ ...(await open(place, signal)), bytes: 21 });

    await expect(copyOf(short, target().blob)).rejects.toMatchObject({ type: 'busy' });
  });

  it('ends when its signal aborts, and a repeat resumes from there', async () => {
    const { blob, content, blocks } = target();
    const ending = new AbortController();
    const { open } = source();
    const stopping: OpenSource = async (place, signal) => {
      const opened = await open(place, signal);
      const body = (async function* () {
        for await (const piece of opened.body) {
          if (blocks.size === 2) ending.abort();
          yield piece;
        }
      })();
      return { ...opened, body };
    };
    await expect(copyOf(stopping, blob, { signal: ending.signal })).rejects.toMatchObject({ name: 'AbortError' });

    const { open: again, asked } = source();
    await copyOf(again, blob);

    expect(asked).toEqual([6]);
    expect(content()).toBe(CONTENT.toString());
  });

  it('recognizes the blob of an earlier attempt, and reads nothing', async () => {
    const { blob, put } = target();
    const { open, asked } = source();
    put(METADATA);
    await copyOf(open, blob);
    put({});

    await expect(copyOf(open, blob)).rejects.toMatchObject({ type: 'conflict' });
    expect(asked).toEqual([]);
  });
});
