import { describe, expect, it } from 'vitest';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import { readAhead } from '../../../shared/parallel.ts';
import { planPage } from '../../../shared/results/chunk-pages.ts';
import { BATCH, chunkJob } from '../../helpers/data/chunks.ts';

/** A finished chunk with this number of bytes of results; 0 = none. */
function row(chunk: string, bytes: number): ChunkRow {
  const { reference } = chunkJob([1], { chunk });
  const place = { offset: 0, length: 10, bytes, items: 1, digest: 'd' };
  const counts = { items: 1, succeeded: 1, dead: 0, cancelled: 0, retried: 0 };
  const header = {
    v: 1,
    ending: 'processed',
    counts,
    handlerSeconds: 0,
    ...(bytes > 0 ? { results: place } : {}),
  } as const;
  return { batch: BATCH, chunk, state: 'done', items: 1, reference, header };
}

async function* rowsOf(...bytes: number[]): AsyncGenerator<ChunkRow> {
  for (const [n, size] of bytes.entries()) yield row(String(n), size);
}

describe('planPage', () => {
  it.each([
    {
      title: 'takes all frames that fit',
      bytes: [5, 5],
      limits: { chunks: 9, bytes: 10 },
      chunks: ['0', '1'],
      next: undefined,
    },
    {
      title: 'ends before the frame that exceeds the limit',
      bytes: [5, 6],
      limits: { chunks: 9, bytes: 10 },
      chunks: ['0'],
      next: '1',
    },
    {
      title: 'takes one frame of any size',
      bytes: [50, 1],
      limits: { chunks: 9, bytes: 10 },
      chunks: ['0'],
      next: '1',
    },
    {
      title: 'ends after the maximum number of frames',
      bytes: [1, 1, 1],
      limits: { chunks: 2, bytes: 10 },
      chunks: ['0', '1'],
      next: '2',
    },
    {
      title: 'skips chunks without such a frame',
      bytes: [0, 5, 0],
      limits: { chunks: 1, bytes: 10 },
      chunks: ['1'],
      next: undefined,
    },
    { title: 'is empty without rows', bytes: [], limits: { chunks: 1, bytes: 1 }, chunks: [], next: undefined },
  ])('$title', async ({ bytes, limits, chunks, next }) => {
    const page = await planPage(rowsOf(...bytes), 'results', limits);
    expect(page.frames.map((frame) => frame.row.chunk)).toEqual(chunks);
    expect(page.next).toBe(next);
  });

  it('ends after 10,000 rows, also without a frame', async () => {
    const without = row('0', 0);
    let read = 0;
    async function* endless(): AsyncGenerator<ChunkRow> {
      for (;;) yield { ...without, chunk: String(read++) };
    }
    expect(await planPage(endless(), 'dead', { chunks: 1, bytes: 1 })).toEqual({ frames: [], next: '10000' });
    expect(read).toBe(10_001);
  });

  it('reads no more rows than necessary', async () => {
    let read = 0;
    const rows = (async function* () {
      for await (const each of rowsOf(1, 1, 1, 1, 1)) {
        read += 1;
        yield each;
      }
    })();
    await planPage(rows, 'results', { chunks: 2, bytes: 100 });
    expect(read).toBe(3);
  });
});

describe('readAhead', () => {
  it('keeps the order, and never exceeds the number of simultaneous reads', async () => {
    let under = 0;
    let most = 0;
    const read = async (n: number): Promise<number> => {
      under += 1;
      most = Math.max(most, under);
      for (let turns = 0; turns < 10 - n; turns += 1) await Promise.resolve();
      under -= 1;
      return n * 2;
    };
    const got: number[] = [];
    for await (const value of readAhead([0, 1, 2, 3, 4, 5], 3, read)) got.push(value);
    expect(got).toEqual([0, 2, 4, 6, 8, 10]);
    expect(most).toBe(3);
  });

  it('fails at the position of the failed read', async () => {
    const got: number[] = [];
    const read = async (n: number): Promise<number> => {
      if (n === 2) throw new Error('third');
      return n;
    };
    const run = async (): Promise<void> => {
      for await (const value of readAhead([0, 1, 2, 3], 4, read)) got.push(value);
    };
    await expect(run()).rejects.toThrow('third');
    expect(got).toEqual([0, 1]);
  });

  it('waits for the running reads when its reader leaves', async () => {
    let under = 0;
    const read = async (n: number): Promise<void> => {
      under += 1;
      for (let turns = 0; turns < 20 * (n + 1); turns += 1) await Promise.resolve();
      under -= 1;
    };
    for await (const _ of readAhead([0, 1, 2, 3, 4, 5], 3, read)) break;
    expect(under).toBe(0);
  });
});
