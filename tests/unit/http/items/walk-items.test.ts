import { describe, expect, it } from 'vitest';
import type { ChunkRow } from '../../../../shared/batches/chunk-row.ts';
import type { OutcomeHeader } from '../../../../shared/contract/outcome.ts';
import { walkItems } from '../../../../shared/http/items/walk-items.ts';
import { startOfUpload, startsOfRedrive } from '../../../../shared/http/items/walk-starts.ts';
import type { FrameName } from '../../../../shared/results/chunk-pages.ts';
import { chunkRowOf, headerOf, referenceOf } from '../../../helpers/data/factories.ts';
import { redriveOf } from '../../../helpers/data/redrives.ts';

interface Chunk {
  header: OutcomeHeader;
  skip?: number;
  take?: number;
  frames?: Partial<Record<FrameName, object[]>>;
}

const rowOf = (chunk: string, { header, skip, take }: Chunk): ChunkRow =>
  chunkRowOf({
    ...{ chunk, header, state: 'done', doneAt: 'then' },
    reference: referenceOf({ chunk, ...(skip === undefined ? {} : { skip }), ...(take === undefined ? {} : { take }) }),
  });

/** Items 0 to 3 of chunk 000000; those in the window are wanted. */
async function walked(chunks: Record<string, Chunk>, wanted = { from: 0, end: 4 }, start = UPLOAD) {
  const seen: Record<number, string[]> = {};
  const read: string[] = [];
  await walkItems(
    {
      wanted,
      rowOf: async (chunk) => {
        read.push(chunk);
        const found = chunks[chunk];
        return found && rowOf(chunk, found);
      },
      linesOf: async ({ chunk }, name) => (chunks[chunk]?.frames?.[name] ?? []).map((line) => JSON.stringify(line)),
      visit: (index, { chunk, end, attempts, error, reason }, { result, deadLetter }) => {
        const place = result ? `line ${result.line}` : deadLetter && 'letter';
        const what = [chunk, end, attempts, error, reason, place].filter((each) => each !== undefined).join(' ');
        seen[index] = [...(seen[index] ?? []), what];
      },
    },
    start,
  );
  return { seen, read };
}

const UPLOAD = startOfUpload('000000', {
  ...{ offset: 0, length: 1, bytes: 1, items: 4, firstItem: 0, firstLine: 1, lines: Buffer.alloc(0), digest: '' },
});
const attempt = (message: string) => ({ at: 'then', error: { name: 'Error', message } });
const retry = (index: number, ...errors: string[]) => ({ index, attempts: errors.map(attempt), item: index });
const dead = (index: number, message: string) => ({ index, error: { message }, attempts: [attempt(message)] });
const split = (...parts: [number, number][]): OutcomeHeader => headerOf({ succeeded: 0 }, { ending: 'split', parts });

describe('a walk', () => {
  it('finds the results of items that neither failed nor died', async () => {
    const header = headerOf({ retried: 1, dead: 1 });
    const frames = { retries: [retry(1, 'busy')], dead: [dead(2, 'no')] };
    const r1 = { header: headerOf({ items: 1 }) };
    expect((await walked({ '000000': { header, frames }, '000000.r1': r1 })).seen).toEqual({
      0: ['000000 succeeded 0 line 0'],
      1: ['000000 retried 1 busy', '000000.r1 succeeded 1 line 0'],
      2: ['000000 dead 1 no letter'],
      3: ['000000 succeeded 0 line 1'],
    });
  });

  it('follows the parts of a chunk of retries whose items are not consecutive', async () => {
    const frames = { retries: [retry(3, 'a'), retry(0, 'b', 'c'), retry(1, 'd')] };
    const chunks = {
      '000000': { header: headerOf({ retried: 3 }), frames },
      '000000.r1': { header: split([0, 1], [1, 2]) },
      '000000.r1.s01': { header: headerOf({ items: 2 }), skip: 1, take: 2 },
    };
    expect((await walked(chunks)).seen).toEqual({
      0: ['000000 retried 2 c', '000000.r1 split', '000000.r1.s01 succeeded 2 line 0'],
      1: ['000000 retried 1 d', '000000.r1 split', '000000.r1.s01 succeeded 1 line 1'],
      2: ['000000 succeeded 0 line 0'],
      3: ['000000 retried 1 a', '000000.r1 split', '000000.r1.s00 pending 1 a'],
    });
  });

  it('reads only chunks with requested items', async () => {
    const chunks = {
      '000000': { header: split([0, 2], [2, 2]) },
      '000000.s00': { header: headerOf({ items: 2 }), skip: 0, take: 2 },
      '000000.s01': { header: headerOf({ items: 2 }), skip: 2, take: 2 },
    };
    const { seen, read } = await walked(chunks, { from: 3, end: 4 });
    expect(read).toEqual(['000000', '000000.s01']);
    expect(seen).toEqual({ 3: ['000000 split', '000000.s01 succeeded 0 line 1'] });
  });

  it.each([
    ['cancelled before it ran', { cancelled: 3, dead: 1 }, 'cancelled'],
    ['cancelled midway', { cancelled: 2, dead: 1 }, 'unknown'],
    // Without its frame, a chunk of retries does not show which items died with it.
    ['whose dead letters belong to other items', { dead: 4 }, 'unknown'],
  ])('does not guess in a chunk %s', async (_what, counts, end) => {
    const { seen } = await walked({ '000000': { header: headerOf(counts), frames: { dead: [dead(1, 'no')] } } });
    expect(seen[1]).toEqual(['000000 dead 1 no letter']);
    for (const index of [0, 2, 3]) expect(seen[index]).toEqual([`000000 ${end}`]);
  });

  it('restarts in the chunks of a redrive that contain items', async () => {
    const redrive = await redriveOf([[9], [2, 3, 7]], { revision: 2 });
    const starts = await startsOfRedrive(redrive, { from: 0, end: 4 });
    expect(starts.map(({ chunk }) => chunk)).toEqual(['v0002.000001']);
    const chunks = { 'v0002.000001': { header: headerOf({ items: 3 }) } };
    expect((await walked(chunks, undefined, starts[0])).seen).toEqual({
      2: ['v0002.000001 succeeded 0 line 0'],
      3: ['v0002.000001 succeeded 0 line 1'],
    });
  });

  it('ends in the chunk of a discard, with its reason, without reading a frame', async () => {
    const discard = await redriveOf([[1, 2]], { reason: 'a typo' });
    const [start] = await startsOfRedrive(discard, { from: 0, end: 2 });
    expect(start?.items.map(({ index }) => index)).toEqual([1]);
    const header = headerOf({ items: 2, succeeded: 0, discarded: 2 }, { ending: 'discarded' });
    const chunks = { 'v0001.000000': { header, frames: { retries: [{}], dead: [{}] } } };

    expect((await walked(chunks, { from: 0, end: 2 }, start)).seen).toEqual({ 1: ['v0001.000000 discarded a typo'] });
  });
});
