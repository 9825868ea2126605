import { describe, expect, it, test } from 'vitest';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import { causeOf } from '../../../shared/contract/cause.ts';
import { outcomeBlobName } from '../../../shared/contract/names.ts';
import type { DeadItem, OutcomeHeader } from '../../../shared/contract/outcome.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { withCauses } from '../../../shared/processing/outcome/header-causes.ts';
import { findSuspect } from '../../../shared/results/suspect.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { BATCH, chunkRowOf, headerOf, referenceOf, serviceError } from '../../helpers/data/factories.ts';
import { memoryBlobs } from '../../helpers/fakes/memory-blobs.ts';

type Ended = Partial<OutcomeHeader['counts']> & { invalid?: number };

/** The row of a chunk that has ended with these counts; `invalid` of its dead items did not fit the schema. */
const row = (chunk: string, { invalid = 0, ...counts }: Ended): ChunkRow =>
  chunkRowOf({ chunk, state: 'done', header: headerOf(counts, invalid > 0 ? { invalid } : {}) });

const allInvalid = (chunk: string, items: number): ChunkRow => row(chunk, { items, dead: items, invalid: items });

/** No frame exists: a test without examples. */
const isSuspect = async (rows: ChunkRow[], cancelled = 0): Promise<boolean> =>
  (await findSuspect(memoryBlobs(), { dead: 1, cancelled }, rows)) !== undefined;

describe('a batch is suspect', () => {
  test.each<[string, boolean, ChunkRow[]]>([
    ['all of its few items are invalid', true, [allInvalid('000000', 3), allInvalid('000001', 1)]],
    ['one of its few items succeeded', false, [allInvalid('000000', 3), row('000001', { items: 1 })]],
    ['the first thousand are invalid, and all others succeed', true, [allInvalid('000000', 1_000), row('000001', {})]],
    ['the 1,000th item succeeds', false, [allInvalid('000000', 999), row('000001', { items: 1 })]],
    [
      'the first thousand end in the middle of a chunk, and another item of that chunk succeeds',
      false,
      [allInvalid('000000', 600), row('000001', { items: 600, dead: 599, invalid: 599 })],
    ],
    ['an item was rejected', false, [row('000000', { items: 3, dead: 3, invalid: 2 })]],
    ['all items were rejected', false, [row('000000', { items: 3, dead: 3 })]],
    [
      'items were moved to a follow-up chunk, and are invalid there',
      true,
      [row('000000', { items: 1_500, dead: 1_200, invalid: 1_200, retried: 300 }), allInvalid('000000.r1', 300)],
    ],
    [
      'items were moved to a follow-up chunk, and one succeeds there',
      false,
      [
        row('000000', { items: 1_500, dead: 1_200, invalid: 1_200, retried: 300 }),
        row('000000.r1', { items: 300, dead: 299, invalid: 299 }),
        allInvalid('000001', 300),
      ],
    ],
    [
      'the parts of a split chunk are invalid',
      true,
      [
        chunkRowOf({
          chunk: '000000',
          state: 'done',
          header: headerOf({ items: 4, succeeded: 0 }, { ending: 'split' }),
        }),
        allInvalid('000000.s00', 2),
        allInvalid('000000.s01', 2),
        row('000001', { items: 1, dead: 1, invalid: 1 }),
      ],
    ],
  ])('%s: %s', async (_what, expected, rows) => {
    expect(await isSuspect(rows)).toBe(expected);
  });

  it('only by the items of its newest revision', async () => {
    const upload = allInvalid('000000', 4);
    expect(await isSuspect([upload, row('v0001.000000', { items: 2 })])).toBe(false);
    expect(await isSuspect([upload, allInvalid('v0001.000000', 4)])).toBe(true);
    expect(await isSuspect([upload, allInvalid('v0001.000000', 4), allInvalid('v0002.000000', 1)])).toBe(true);
  });

  it('even if items were discarded since', async () => {
    const counts = { items: 2, succeeded: 0, discarded: 2 };
    const discard = (chunk: string): ChunkRow =>
      chunkRowOf({ chunk, state: 'done', header: headerOf(counts, { ending: 'discarded' }) });
    const upload = [allInvalid('000000', 1_000), row('000001', {})];
    expect(await isSuspect([...upload, discard('v0001.000000')])).toBe(true);
    expect(await isSuspect([allInvalid('000000', 4), discard('v0001.000000'), row('v0002.000000', {})])).toBe(false);
    expect(await isSuspect([row('000000', {}), discard('v0001.000000')])).toBe(false);
  });

  it('not after a redrive, if any item has succeeded', async () => {
    expect(await isSuspect([row('000000', {}), allInvalid('v0001.000000', 2)])).toBe(false);
    const corrected = [allInvalid('000000', 4), row('v0001.000000', { items: 2 }), allInvalid('v0002.000000', 1)];
    expect(await isSuspect(corrected)).toBe(false);
  });

  it('not if all of its dead letters are discarded', async () => {
    expect(await findSuspect(memoryBlobs(), { dead: 0, cancelled: 0 }, [allInvalid('000000', 4)])).toBeUndefined();
  });

  it('not if an item was cancelled, nor without items', async () => {
    expect(await isSuspect([allInvalid('000000', 1_000), row('000001', { cancelled: 4 })], 4)).toBe(false);
    expect(await isSuspect([])).toBe(false);
  });
});

interface Died {
  reason?: DeadItem['reason'];
  message: string;
}

/** Chunks of dead letters, one after the other, stored as a worker stores them. */
function stored(...chunks: Died[][]) {
  const memory = memoryBlobs();
  const reads: string[] = [];
  let index = 0;
  const rows = chunks.map((died, n) => {
    const chunk = `00000${n}`;
    const causes: Record<string, number> = {};
    const dead = died.map(({ reason = 'invalid', message }) => {
      const error = { name: reason === 'invalid' ? 'InvalidItem' : 'Reject', message };
      const cause = causeOf(reason, error);
      causes[cause] = (causes[cause] ?? 0) + 1;
      const letter: DeadItem = { index: index++, reason, error, attempts: [], item: {}, version: 1 };
      return JSON.stringify(letter);
    });
    const counts = { items: died.length, succeeded: 0, dead: died.length, cancelled: 0, retried: 0 };
    const invalid = died.filter(({ reason = 'invalid' }) => reason === 'invalid').length;
    const { header, body } = encodeOutcome({ ending: 'processed', counts, invalid }, { dead });
    memory.blobs.set(`results/${outcomeBlobName('billing', BATCH, chunk)}`, { body: Buffer.from(body), metadata: {} });
    return chunkRowOf({ chunk, state: 'done', reference: referenceOf({ chunk }), header: withCauses(header, causes) });
  });
  const container: typeof memory.container = (name) => {
    const client = memory.container(name);
    const getBlobClient = (blob: string) => {
      reads.push(blob);
      return client.getBlobClient(blob);
    };
    return { getBlobClient } as never;
  };
  return { deps: { container }, rows, reads, blobs: memory.blobs };
}

const find = ({ deps, rows }: ReturnType<typeof stored>) => findSuspect(deps, { dead: 1, cancelled: 0 }, rows);
const many = (count: number, message: string): Died[] => Array.from({ length: count }, () => ({ message }));

describe('the causes of a suspect batch', () => {
  it('are the three most frequent of all its chunks, with the first item of each', async () => {
    const batch = stored(
      [...many(1, 'a: wrong'), ...many(998, 'b: wrong'), ...many(3, 'c: wrong')],
      [{ reason: 'rejected', message: 'no such account' }, ...many(1, 'd: wrong'), ...many(8, 'c: wrong')],
      [{ reason: 'rejected', message: 'no such account' }],
    );

    expect(await find(batch)).toEqual({
      causes: [
        { cause: 'invalid: InvalidItem: b: wrong', count: 998, example: { position: 1, message: 'b: wrong' } },
        { cause: 'invalid: InvalidItem: c: wrong', count: 11, example: { position: 999, message: 'c: wrong' } },
        {
          cause: 'rejected: Reject: no such account',
          count: 2,
          example: { position: 1_002, message: 'no such account' },
        },
      ],
    });
    expect(batch.reads).toHaveLength(2);
  });

  it('have an example on one line, of limited length, even if the cause itself was cut', async () => {
    const message = `a:\n wrong\u0000 ${'x'.repeat(5_000)}`;
    const [only, ...others] = (await find(stored(many(2, message))))?.causes ?? [];

    expect(others).toEqual([]);
    expect(only?.cause).toHaveLength(120);
    expect(only?.example?.message).toBe(`a: wrong\ufffd ${'x'.repeat(290)}`);
  });

  it('omit the count that many causes share', async () => {
    const batch = stored(Array.from({ length: 3 }, (_, n) => ({ message: `${'abc'[n]}: wrong` })));
    const [first] = batch.rows;
    if (first?.header) first.header.causes = { 'other causes': 900, 'invalid: InvalidItem: a: wrong': 1 };

    expect((await find(batch))?.causes.map(({ cause }) => cause)).toEqual(['invalid: InvalidItem: a: wrong']);
  });

  it('are empty if a header has none', async () => {
    expect(await findSuspect(memoryBlobs(), { dead: 4, cancelled: 0 }, [allInvalid('000000', 4)])).toEqual({
      causes: [],
    });
  });

  it.each([
    ['is gone', (batch: ReturnType<typeof stored>) => batch.blobs.clear()],
    [
      'is damaged',
      ({ blobs }: ReturnType<typeof stored>) => {
        for (const { body } of blobs.values()) body.fill(0);
      },
    ],
    [
      'cannot be read from storage',
      ({ deps }: ReturnType<typeof stored>) => {
        deps.container = () => {
          throw serviceError(503);
        };
      },
    ],
  ])('have no example if the frame %s, and the batch ends anyway', async (_what, spoil) => {
    const batch = stored(many(2, 'a: wrong'));
    spoil(batch);
    const lines: string[] = [];
    const heard = (line: string): void => void lines.push(line);

    const suspect = await withLog({ debug: heard, info: heard, warn: heard, error: heard }, () => find(batch));

    expect(suspect).toEqual({ causes: [{ cause: 'invalid: InvalidItem: a: wrong', count: 2 }] });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: 'example-not-read', batch: BATCH, chunk: '000000' }),
    ]);
  });

  it('have no example from a frame that is too large to read', async () => {
    const batch = stored(many(2, 'a: wrong'));
    const place = batch.rows[0]?.header?.dead;
    if (place) place.bytes = 17 * 1024 * 1024;

    expect((await find(batch))?.causes).toEqual([{ cause: 'invalid: InvalidItem: a: wrong', count: 2 }]);
    expect(batch.reads).toEqual([]);
  });

  it('are not read for a batch that is not suspect', async () => {
    const batch = stored([...many(2, 'a: wrong'), { reason: 'rejected', message: 'no such account' }]);

    expect(await find(batch)).toBeUndefined();
    expect(batch.reads).toEqual([]);
  });
});
