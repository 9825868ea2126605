import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch, chunkRows, insertChunks, readBatch } from '../../../shared/batches/ledger.ts';
import { listBatchesOf } from '../../../shared/batches/listing/listing.ts';
import { encodeChunks, redriveBlobName, writeRedrive } from '../../../shared/commands/redrive/redrive-blob.ts';
import { placesOf } from '../../../shared/commands/redrive/redrive-frames.ts';
import { decodeFrame, digestOf, encodeFrameSync } from '../../../shared/contract/frame.ts';
import { batchDate, redriveChunkId } from '../../../shared/contract/names.ts';
import { getDeadLetters } from '../../../shared/http/dead-letters/get-dead-letters.ts';
import { listDeadLetters } from '../../../shared/http/dead-letters/list-dead-letters.ts';
import { REDRIVE_PLACES, redriveDeadLetters } from '../../../shared/http/dead-letters/redrive-dead-letters.ts';
import {
  deadLetterGroupsSchema,
  deadLetterListSchema,
  deadLetterSchema,
  deadLettersOfBatchesSchema,
} from '../../../shared/http/dead-letters/schemas.ts';
import { createBodyPlaces } from '../../../shared/http/edge/request/body-places.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { readRange } from '../../../shared/processing/fetch-frames.ts';
import type { PageLimits } from '../../../shared/results/chunk-pages.ts';
import { redriveOf } from '../../helpers/data/redrives.ts';
import { type Answer, call, nextOf } from './call.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

const BIG = '12345678901234567890';
let pipeline: Pipeline;
let batch: string;

beforeAll(async () => {
  pipeline = await startPipeline();
  const records: unknown[] = Array.from({ length: 12 }, (_, n) => ({
    id: `i${n}`,
    reject: `account "${n}" is closed`,
  }));
  records[0] = { id: 'fine' };
  records[5] = { id: 5 };
  records[8] = { id: 'never', failUntil: 99 };
  batch = (await pipeline.submit(records)).id;
  await pipeline.finish(batch);
});
afterAll(() => pipeline.stop());

const get = (query = '', headers: Record<string, string> = {}, id = batch, page?: PageLimits): Promise<Answer> =>
  call(
    (request) => getDeadLetters({ ...pipeline.deps, ...(page === undefined ? {} : { page }) }, request),
    `batches/${id}/dead-letters${query}`,
    { params: { id }, headers },
  );
/** The query of the link to the next page. */
const queryOf = (answer: Answer): string | undefined => {
  const next = nextOf(answer);
  return next?.slice(next.indexOf('?'));
};
const lettersIn = ({ text }: Answer) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => deadLetterSchema.parse(JSON.parse(line)));

/** Stores a redrive like the real one: its blob, then its rows. */
async function redrive(id: string, items: { index: number; item: unknown }[]): Promise<void> {
  const table = pipeline.clients.batches;
  const revision = ((await readBatch(table, id))?.row.revision ?? 0) + 1;
  const bytes = Buffer.from(
    items.map((item) => `${JSON.stringify({ index: item.index, attempts: [], item: item.item })}\n`).join(''),
  );
  const frame = encodeFrameSync(bytes);
  const place = { offset: 0, length: frame.length, bytes: bytes.length, items: items.length, digest: digestOf(frame) };
  const at = '2026-01-01T00:00:00.000Z';
  const blob = redriveBlobName(id, String(revision));
  const entries = await encodeChunks([{ ...place, ...(await placesOf(items.map(({ index }) => index))) }]);
  const stored = await redriveOf([], { batch: id, revision, items: items.length, chunks: 1, entries });
  await writeRedrive(pipeline.clients.container('redrives'), blob, { redrive: stored, frames: [frame] });
  const chunk = redriveChunkId(revision, 0);
  const reference = {
    ...({
      v: 1,
      workload: 'echo',
      version: 2,
      batch: id,
      chunk,
      kind: 'retries',
      container: 'redrives',
      blob,
    } as const),
    ...place,
    firstItem: 0,
    enqueuedAt: at,
  };
  await insertChunks(table, [{ batch: id, chunk, state: 'pending', items: items.length, reference }]);
  await changeBatch(table, id, (row) => ({
    revision,
    state: 'queued',
    announced: false,
    dead: row.dead - items.length,
    chunksTotal: row.chunksTotal + 1,
  }));
}

describe('GET batches/{id}/dead-letters', () => {
  it('groups them by cause, the most frequent first, with an example and its line', async () => {
    const answer = await get();
    const { count, groups, otherCauses } = deadLetterGroupsSchema.parse(answer.json());
    expect([answer.status, count, otherCauses]).toEqual([200, 11, 0]);
    expect(groups.map(({ cause, reason, count: n }) => [cause, reason, n])).toEqual([
      ['rejected: Reject: account "…" is closed', 'rejected', 9],
      [expect.stringMatching(/^invalid: /), 'invalid', 1],
      ['exhausted: Retry: attempt # of "…" failed', 'exhausted', 1],
    ]);
    expect(groups[0]?.example).toMatchObject({ index: 1, line: 2, chunk: '000000', version: 2 });
    expect(groups[2]?.example).toMatchObject({ index: 8, line: 9, chunk: '000002.r4' });
    expect(groups[2]?.example.attempts).toHaveLength(5);
  });

  it('pages the groups, which add up to all, with the count of the batch on each page', async () => {
    const all = deadLetterGroupsSchema.parse((await get()).json());
    const counts = new Map<string, number>();
    const scanned: number[] = [];
    for (let query: string | undefined = ''; query !== undefined; ) {
      const answer: Answer = await get(query, {}, batch, { chunks: 2, bytes: 1_000_000 });
      const page = deadLetterGroupsSchema.parse(answer.json());
      expect(page.count).toBe(11);
      scanned.push(page.scanned);
      for (const { cause, count } of page.groups) counts.set(cause, (counts.get(cause) ?? 0) + count);
      query = queryOf(answer);
    }
    expect(scanned.length).toBeGreaterThan(1);
    expect(scanned.reduce((sum, n) => sum + n, 0)).toBe(11);
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(all.groups.map(({ cause, count }) => [cause, count])),
    );
  });

  it('reads at most a page of chunks in search of one cause, and continues behind them', async () => {
    const cause = encodeURIComponent('exhausted: Retry: attempt # of "…" failed');
    const pages: number[][] = [];
    for (let query: string | undefined = `?cause=${cause}`; query !== undefined; ) {
      const answer: Answer = await get(query, {}, batch, { chunks: 1, bytes: 1_000_000 });
      pages.push(deadLetterListSchema.parse(answer.json()).items.map(({ index }) => index));
      query = queryOf(answer);
    }
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flat()).toEqual([8]);
  });

  it('pages the items with one cause', async () => {
    const cause = encodeURIComponent('rejected: Reject: account "…" is closed');
    const seen: number[] = [];
    for (let query: string | undefined = `?cause=${cause}&limit=4`; query !== undefined; ) {
      const answer: Answer = await get(query);
      const page = deadLetterListSchema.parse(answer.json());
      seen.push(...page.items.map(({ index }) => index));
      expect(page.items.length).toBeLessThanOrEqual(4);
      query = queryOf(answer);
    }
    expect(seen).toEqual([1, 2, 3, 4, 6, 7, 9, 10, 11]);
  });

  it('downloads all of them as NDJSON, and those with one cause', async () => {
    const all = await get('', { accept: 'application/x-ndjson' });
    expect(all.headers.get('content-type')).toBe('application/x-ndjson');
    expect(lettersIn(all).map(({ index, line }) => [index, line])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].sort((a, b) => place(a) - place(b)).map((index) => [index, index + 1]),
    );
    const one = await get(`?cause=${encodeURIComponent('exhausted: Retry: attempt # of "…" failed')}&format=ndjson`);
    expect(lettersIn(one).map(({ index }) => index)).toEqual([8]);
  });

  it('finds items by the shortened cause in the row of the batch', async () => {
    const { id } = await pipeline.submit([{ id: 'l', reject: 'x'.repeat(150) }]);
    const [cause = ''] = Object.keys((await pipeline.finish(id)).causes ?? {});
    expect(cause).toHaveLength(120);
    for (const query of [`?cause=${encodeURIComponent(cause)}`, `?cause=${encodeURIComponent(cause)}&format=ndjson`])
      expect((await get(query, {}, id)).text).toContain('"index":0');
  });

  it('keeps all digits of an item', async () => {
    const { id } = await pipeline.submit([{ id: 'n', reject: 'no' }]);
    const text = `{"id":"n","reject":"no","amount":1,"serial":${BIG}}`;
    const big = await pipeline.submitText(`${text}\n`);
    await pipeline.finish(id);
    await pipeline.finish(big.id);
    for (const query of ['', '?format=ndjson', `?cause=${encodeURIComponent('rejected: Reject: no')}`]) {
      expect((await get(query, {}, big.id)).text).toContain(`"item":${text}`);
    }
  });

  it('counts a redriven item as dead only if it died again', async () => {
    const { id } = await pipeline.submit(Array.from({ length: 5 }, (_, n) => ({ id: `d${n}`, reject: 'closed' })));
    await pipeline.finish(id);
    await redrive(id, [
      { index: 1, item: { id: 'd1' } },
      { index: 3, item: { id: 'd3', reject: 'still closed' } },
    ]);
    const during = deadLetterGroupsSchema.parse((await get('', {}, id)).json());
    expect(during.count).toBe(3);
    const row = await pipeline.finish(id);
    const after = lettersIn(await get('?format=ndjson', {}, id));
    expect(after.map(({ index, chunk, line }) => [index, chunk, line])).toEqual([
      [0, '000000', 1],
      [2, '000000', 3],
      [4, '000001', 5],
      [3, 'v0001.000000', 4],
    ]);
    expect(row.dead).toBe(after.length);
  });

  it('is empty for a batch without dead letters', async () => {
    const { id } = await pipeline.submit([{ id: 'ok' }]);
    await pipeline.finish(id);
    expect((await get('', {}, id)).json()).toEqual({ batch: id, count: 0, scanned: 0, otherCauses: 0, groups: [] });
    expect((await get('?cause=none', {}, id)).json()).toEqual({ batch: id, cause: 'none', items: [] });
  });

  it.each(['?cause=x&after=1', '?cause=x&limit=0', '?format=csv', '?format=ndjson&from=A'])(
    'refuses %s',
    async (query) => {
      const answer = await get(query);
      expect([answer.status, problemSchema.parse(answer.json()).status]).toEqual([400, 400]);
    },
  );
});

describe('GET dead-letters', () => {
  const REJECTED = 'rejected: Reject: account "…" is closed';
  const ask = async (query = '') => {
    const deps = pipeline.deps;
    const answer = await call((request) => listDeadLetters(deps, request), `dead-letters${query}`);
    return answer.status === 200 ? deadLettersOfBatchesSchema.parse(answer.json()) : answer.status;
  };
  const day = () => `?day=${batchDate(batch)}`;

  it('groups the dead letters of all batches by cause, with the current state of running batches', async () => {
    const before = await ask(`?cause=${encodeURIComponent(REJECTED)}`);
    expect(before).toMatchObject({ count: 9, otherCauses: 0, notScanned: 0 });
    const { id } = await pipeline.submit(
      Array.from({ length: 6 }, (_, n) => ({ id: 'o', reject: `account "${n}" is closed` })),
    );
    await pipeline.work(id, 1);
    const labels = { month: '2026-09' };
    await changeBatch(pipeline.clients.batches, id, () => ({ labels, fileName: 'o.csv' }));
    const found = { count: 12, groups: [{ cause: REJECTED, workload: 'echo', count: 12, moreBatches: 0 }] };
    const all = await ask(`?cause=${encodeURIComponent(REJECTED)}`);
    expect(all).toMatchObject(found);
    expect(typeof all === 'object' && all.groups[0]?.batches).toMatchObject([
      { id, count: 3, state: 'running', file: 'o.csv', labels },
      { id: batch, count: 9, state: 'completedWithDeadLetters' },
    ]);
    expect(await ask('?label=month=2026-09')).toMatchObject({ count: 3, groups: [{ count: 3 }] });
    expect(await ask('?workload=other')).toMatchObject({ count: 0, groups: [] });
    const table = pipeline.clients.batches;
    const [entry] = (await listBatchesOf(table, { days: [batchDate(id)], limit: 1 })).batches;
    expect(entry).toMatchObject({ id, dead: 3, causes: { [REJECTED]: 3 } });
    await pipeline.finish(id);
    expect(await ask('?label=month=2026-09')).toMatchObject({ count: 6, groups: [{ count: 6 }] });
  });

  it('excludes redriven items, which are patched or corrected with all digits', async () => {
    const items = Array.from({ length: 4 }, (_, n) => ({ id: `p${n}`, amount: n, reject: n < 3 ? 'patched' : 'left' }));
    const { id } = await pipeline.submit(items);
    await pipeline.finish(id);
    const of = (cause: string) => ask(`${day()}&cause=${encodeURIComponent(`rejected: Reject: ${cause}`)}`);
    expect([await of('patched'), await of('left')]).toMatchObject([{ count: 3 }, { count: 1 }]);

    const corrected = `{"index":2,"item":{"id":"mended","amount":1.50}}`;
    const body = `{"items":[0,1],"corrected":[${corrected}],"patch":{"reject":null,"amount":${BIG}}}`;
    const answer = await call(
      (request) => redriveDeadLetters({ ...pipeline, redrivePlaces: createBodyPlaces(REDRIVE_PLACES) }, request),
      `batches/${id}/x`,
      {
        ...{ method: 'POST', params: { id }, body },
      },
    );
    expect([answer.status, answer.json()]).toMatchObject([202, { redriven: 3 }]);
    expect([await of('patched'), await of('left')]).toMatchObject([{ count: 0, groups: [] }, { count: 1 }]);
    const chunks = [];
    for await (const row of chunkRows(pipeline.clients.batches, id, { state: 'pending' })) chunks.push(row.reference);
    const [reference] = chunks;
    const frame = reference && (await readRange(pipeline.clients.container('redrives'), reference));
    expect(reference && frame && decodeFrame(frame, reference).toString()).toBe(
      [
        `{"index":0,"attempts":[],"item":{"id":"p0","amount":${BIG}}}`,
        `{"index":1,"attempts":[],"item":{"id":"p1","amount":${BIG}}}`,
        '{"index":2,"attempts":[],"item":{"id":"mended","amount":1.50}}\n',
      ].join('\n'),
    );
    expect(await pipeline.finish(id)).toMatchObject({ succeeded: 3, dead: 1, causes: { 'rejected: Reject: left': 1 } });
  });

  it.each([
    ['over 64 KiB', `{"a":"${'x'.repeat(65_536)}"}`],
    ['over 64 KiB in digits', `{"a":1.${'0'.repeat(65_536)}}`],
    ['over 64 KiB in a member that a schema drops', `{"__proto__":"${'x'.repeat(65_536)}"}`],
    ['with more levels than an item may have', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`],
  ])('refuses a patch %s', async (_what, patch) => {
    const options = { method: 'POST', params: { id: batch }, body: `{"items":[1],"patch":${patch}}` } as const;
    const answer = await call(
      (request) => redriveDeadLetters({ ...pipeline, redrivePlaces: createBodyPlaces(REDRIVE_PLACES) }, request),
      `batches/${batch}/x`,
      options,
    );
    expect([answer.status, problemSchema.parse(answer.json()).detail]).toEqual([400, expect.stringContaining('patch')]);
  });

  it.each(['?day=x', '?from=2026-01-01&to=2026-02-01', '?from=2026-01-02&to=2026-01-01'])('refuses %s', async (query) =>
    expect(await ask(query)).toBe(400),
  );
});

/** Item 8 dies in its last retry, whose chunk follows that of items 6 to 8. */
const place = (index: number): number => (index === 8 ? 8.5 : index);
