import { createRandom } from 'functions-local';
import { describe, expect, test } from 'vitest';
import { followUps } from '../../../shared/batches/apply/follow-ups.ts';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import { outcomeBlobName } from '../../../shared/contract/names.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { createMergeAhead, type MergeAhead } from '../../../shared/results/merge-ahead.ts';
import { writeReport } from '../../../shared/results/report.ts';
import type { Workload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, batchRowOf, chunkRowOf } from '../../helpers/data/factories.ts';
import { memoryBlobs } from '../../helpers/fakes/memory-blobs.ts';
import { fail, summing } from './finalize-fixtures.ts';

interface Value {
  n: number;
  text: string;
}

/** Each result is its own fold. A merge shows its order: by a subtraction that doubles, and by a text. */
const ordered = summing({
  add: (_acc, result) => result,
  merge: (a, b) => {
    const [x, y] = [a as Value, b as Value];
    return { n: x.n * 0.9 - y.n, text: `${x.text}${y.text}` };
  },
});

type Random = () => number;
interface Chunk {
  row: ChunkRow;
  body: Uint8Array;
}

const counts = (retried: number) => ({ items: 4, succeeded: 4 - retried, dead: 0, cancelled: 0, retried });

interface Rates {
  splits?: number;
  failedFolds?: number;
}

/** An outcome of a chunk. It may have folded nothing, may have failed to fold, or may have items to retry. */
function chunkOf(row: ChunkRow, random: Random, { failedFolds = 0.05 }: Rates = {}): Chunk {
  const lines = ['a', 'b', 'c']
    .filter(() => random() < 0.7)
    .map((key) => JSON.stringify({ key, value: { n: random() - 0.3, text: `${row.chunk} ` } }));
  const retries = random() < 0.3 ? ['{"index":0,"attempts":[],"item":1}'] : [];
  const partial = random() < failedFolds ? ['{"failed":"TypeError: no key"}'] : lines;
  const results = ['{"n":0.1,"text":"x"}'];
  const { header, body } = encodeOutcome(
    { ending: 'processed', counts: counts(retries.length) },
    { results, retries, partial },
  );
  return { row: { ...row, state: 'done', header, doneAt: '2026-01-01T00:00:00.000Z' }, body };
}

function split(row: ChunkRow): Chunk {
  const parts = [
    [0, 2],
    [2, 2],
  ] satisfies [number, number][];
  const { header, body } = encodeOutcome({ ending: 'split', counts: counts(4), parts }, {});
  return { row: { ...row, state: 'done', header, doneAt: '2026-01-01T00:00:00.000Z' }, body };
}

/** The chunks of a batch that has ended, with all their follow-ups, in the order of their rows. */
function endedBatch(random: Random, rates: Rates = {}): Chunk[] {
  const { splits = 0.05 } = rates;
  const chunks: Chunk[] = [];
  const open = Array.from({ length: 12 }, (_, n) => chunkRowOf({ chunk: String(n).padStart(6, '0') }));
  for (let row = open.shift(); row; row = open.shift()) {
    const chunk = random() < splits ? split(row) : chunkOf(row, random, rates);
    chunks.push(chunk);
    if (chunk.row.header) open.push(...followUps(row.reference, chunk.row.header));
  }
  return chunks.sort((a, b) => (a.row.chunk < b.row.chunk ? -1 : 1));
}

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);

const aheadOf = (workload: Workload, maxBytes?: number): MergeAhead =>
  createMergeAhead(createRegistry([workload]), maxBytes);

function add(ahead: MergeAhead, chunks: readonly Chunk[]): void {
  for (const { row, body } of chunks) if (row.header) ahead.add(row.reference, { header: row.header, body });
}

/** Storage with the outcomes of a batch, and the report that is created from them. */
function stored(chunks: readonly Chunk[], workload: Workload) {
  const { container, blobs } = memoryBlobs();
  let reads = 0;
  for (const { row, body } of chunks)
    blobs.set(`results/${outcomeBlobName('billing', BATCH, row.chunk)}`, { body: Buffer.from(body), metadata: {} });
  const counting: typeof container = (name) => {
    if (name === 'results') reads += 1;
    return container(name);
  };
  const report = async (mergeAhead: MergeAhead): Promise<Buffer> => {
    reads = 0;
    const rows = chunks.map(({ row }) => row);
    await writeReport({ container: counting, mergeAhead }, { workload, batch: batchRowOf(), rows });
    const name = `reports/${BATCH}/0000.ndjson.zst`;
    const { body } = blobs.get(name) ?? fail(new Error('no report'));
    blobs.delete(name);
    return body;
  };
  return { report, reads: () => reads, blobs };
}

const isPartial = ({ row }: Chunk): boolean => row.header?.partial !== undefined;

test('the report has the same bytes, whichever outcomes this process has stored, in whatever order they came', async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = createRandom(seed);
    const chunks = endedBatch(random);
    const { report } = stored(chunks, ordered);
    const fromStorage = await report(aheadOf(ordered));
    const share = [0, 0.3, 0.9, 1][seed % 4] ?? 1;
    // Too small for some of them.
    const ahead = aheadOf(ordered, seed % 3 === 0 ? 6_000 : undefined);
    add(
      ahead,
      shuffled(chunks, random).filter(() => random() < share),
    );

    expect((await report(ahead)).equals(fromStorage), `seed ${seed}`).toBe(true);
  }
});

test('a chunk of ten retries has its tenth before its second, like the rows', async () => {
  const names = ['000000', ...Array.from({ length: 10 }, (_, n) => `000000.r${n + 1}`), '000001'];
  const chunks = names
    .map((chunk, index) => {
      const retries = index < 10 ? ['{"index":0,"attempts":[],"item":1}'] : [];
      const partial = [JSON.stringify({ key: 'k', value: { n: 1 / (index + 3), text: `${chunk} ` } })];
      const { header, body } = encodeOutcome({ ending: 'processed', counts: counts(0) }, { retries, partial });
      const row = chunkRowOf({ chunk });
      return { row: { ...row, header }, body };
    })
    .sort((a, b) => (a.row.chunk < b.row.chunk ? -1 : 1));
  const { report } = stored(chunks, ordered);
  const ahead = aheadOf(ordered);
  add(ahead, chunks);

  expect((await report(ahead)).equals(await report(aheadOf(ordered)))).toBe(true);
});

test.each([
  ['in order', (chunks: Chunk[]) => chunks],
  ['backwards', (chunks: Chunk[]) => chunks.toReversed()],
])('nothing is read of a batch whose outcomes all came %s', async (_order, arrange) => {
  const chunks = endedBatch(createRandom(7), { splits: 0, failedFolds: 0 });
  const { report, reads } = stored(chunks, ordered);
  const ahead = aheadOf(ordered);
  add(ahead, arrange(chunks));

  await report(ahead);

  expect(reads()).toBe(0);
});

test('only outcomes that another instance has stored are read', async () => {
  const chunks = endedBatch(createRandom(3), { failedFolds: 0 });
  const { report, reads } = stored(chunks, ordered);
  const ahead = aheadOf(ordered);
  const [own, others] = [chunks.filter((_, n) => n % 3 === 0), chunks.filter((_, n) => n % 3 !== 0)];
  add(ahead, own);

  await report(ahead);

  expect(reads()).toBe(others.filter(isPartial).length);
});

test('partial aggregates are merged when they are added, and not at the end', () => {
  const order: string[] = [];
  const workload = summing({ merge: (_a, b) => order.push((b as Value).text) });
  const chunks = ['000000', '000001', '000002', '000003'].map((chunk) => {
    const partial = [JSON.stringify({ key: 'k', value: { n: 1, text: chunk } })];
    const { header, body } = encodeOutcome({ ending: 'processed', counts: counts(0) }, { partial });
    return { row: { ...chunkRowOf({ chunk }), header }, body };
  });
  const ahead = aheadOf(workload);

  add(
    ahead,
    [chunks[0], chunks[2], chunks[3]].flatMap((chunk) => chunk ?? []),
  );
  expect(order).toEqual([]);
  add(ahead, chunks.slice(1, 2));

  expect(order).toEqual(['000001', '000002', '000003']);
});

test('a merge is not used again: a report that could not be written is created from storage', async () => {
  const chunks = endedBatch(createRandom(5));
  const { report, reads } = stored(chunks, ordered);
  const ahead = aheadOf(ordered);
  add(ahead, chunks);
  const first = await report(ahead);

  const second = await report(ahead);

  expect(second.equals(first)).toBe(true);
  expect(reads()).toBeGreaterThanOrEqual(chunks.filter(isPartial).length);
});

test('an outcome that differs from the one in the ledger does not count', async () => {
  const random = createRandom(9);
  const chunks = endedBatch(random, { splits: 0 });
  const { report } = stored(chunks, ordered);
  const fromStorage = await report(aheadOf(ordered));
  const ahead = aheadOf(ordered);
  add(
    ahead,
    chunks.map(({ row }) => chunkOf(row, random)),
  );

  expect((await report(ahead)).equals(fromStorage)).toBe(true);
});

test('a merge that throws fails the report, with the same message as a merge from storage', async () => {
  const workload = summing({ merge: () => fail(new TypeError('no amount')) });
  const chunks = endedBatch(createRandom(11));
  const { report } = stored(chunks, workload);
  const ahead = aheadOf(workload);
  expect(() => add(ahead, chunks)).not.toThrow();

  await expect(report(ahead)).rejects.toThrow(/^The merge of key ".*TypeError: no amount$/);
});

test('a workload without a report costs no memory', () => {
  const { reduce: _reduce, ...workload } = summing();
  const ahead = aheadOf(workload);
  add(ahead, endedBatch(createRandom(1)).toReversed());

  expect(ahead.take(BATCH)).toEqual({ merge: undefined, digests: [], frames: new Map() });
});

describe('the cache is limited', () => {
  const later = (batch: string, chunk: string): Chunk => {
    const partial = [JSON.stringify({ key: 'k', value: { n: 1, text: 'x'.repeat(1_000) } })];
    const { header, body } = encodeOutcome({ ending: 'processed', counts: counts(0) }, { partial });
    const row = chunkRowOf({ batch, chunk });
    return { row: { ...row, reference: { ...row.reference, batch, chunk }, header }, body };
  };
  const batches = ['1', '2', '3'].map((n) => `01985a00-0000-7000-8000-00000000000${n}`);
  const [one = '', two = '', three = ''] = batches;

  test('the batch with the oldest latest addition is dropped first', () => {
    const ahead = aheadOf(summing(), 7_000);
    add(ahead, [later(one, '000005'), later(two, '000005'), later(one, '000006'), later(three, '000005')]);

    expect(batches.map((batch) => ahead.take(batch).frames.size)).toEqual([1, 0, 1]);
  });

  test('a merged partial aggregate needs memory only for its new keys', () => {
    const ahead = aheadOf(summing(), 20_000);
    for (let n = 0; n < 100; n += 1) add(ahead, [later(one, String(n).padStart(6, '0'))]);

    expect(ahead.take(one).digests).toHaveLength(100);
  });

  test('a batch with more keys than fit is not kept', () => {
    const ahead = aheadOf(summing(), 2_000);
    add(ahead, [later(one, '000000')]);

    expect(ahead.take(one)).toEqual({ merge: undefined, digests: [], frames: new Map() });
  });
});
