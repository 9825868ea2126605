import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getResults, resultsManifestSchema } from '../../../shared/http/batches/downloads/get-results.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { type Answer, call, nextOf } from './call.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

let pipeline: Pipeline;
let batch: string;

beforeAll(async () => {
  pipeline = await startPipeline();
  const records = Array.from({ length: 10 }, (_, n) => ({ id: `a${n}`, amount: n }));
  records[4] = { id: 'a4', failUntil: 2 } as never;
  records[7] = { id: '=cmd', note: 'late, "quoted"' } as never;
  batch = (await pipeline.submit(records)).id;
  await pipeline.finish(batch);
});
afterAll(() => pipeline.stop());

const get = (query = '', headers: Record<string, string> = {}, id = batch): Promise<Answer> =>
  call(
    (request) => getResults({ table: pipeline.clients.batches, container: pipeline.clients.container }, request),
    `batches/${id}/results${query}`,
    { params: { id }, headers },
  );

const follow = async (path: string | undefined): Promise<Answer> => get(path?.slice(path.indexOf('?')) ?? '?never');
const ids = ({ text }: Answer): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { id: string }).id);

describe('GET batches/{id}/results', () => {
  it('returns the results in row order, a retried item after its chunk', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('sluice-batch-state')).toBe('completed');
    expect(ids(answer)).toEqual(['a0', 'a1', 'a2', 'a3', 'a5', 'a4', 'a6', '=cmd', 'a8', 'a9']);
    expect(nextOf(answer)).toBeUndefined();
  });

  it('is never content-encoded as zstd, whatever the client accepts', async () => {
    const answer = await get('', { 'accept-encoding': 'zstd' });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(ids(answer)).toHaveLength(10);
  });

  it('returns all of them once when the links are followed', async () => {
    const seen: string[] = [];
    for (let answer = await get('?limit=2'); ; answer = await follow(nextOf(answer))) {
      seen.push(...ids(answer));
      if (nextOf(answer) === undefined) break;
    }
    expect(seen).toEqual(ids(await get()));
  });

  it('begins at ?from and never repeats a key in its links', async () => {
    const answer = await get('?from=000002&limit=1&code=secret');
    expect(ids(answer)).toEqual(['a6', '=cmd', 'a8']);
    expect(nextOf(answer)).toBe(`batches/${batch}/results?limit=1&from=000003`);
  });

  it('returns the positions of the frames on ?manifest', async () => {
    const manifest = resultsManifestSchema.parse((await get('?manifest')).json());
    expect(manifest.container).toBe('results');
    expect(manifest.blobs.map(({ chunk, items }) => [chunk, items])).toEqual([
      ['000000', 3],
      ['000001', 2],
      ['000001.r1', 1],
      ['000002', 3],
      ['000003', 1],
    ]);
    expect(manifest.blobs[0]?.blob).toMatch(
      new RegExp(`^workload=echo/date=\\d{4}-\\d{2}-\\d{2}/batch=${batch}/000000\\.ndjson\\.zst$`),
    );
  });

  it('writes CSV that no spreadsheet evaluates, and keeps fields that appear later', async () => {
    const answer = await get('', { accept: 'text/html;q=0.5, text/csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.text.split('\r\n').slice(0, 2)).toEqual(['id,amount,otherFields', 'a0,0,']);
    expect(answer.text).toContain(`'=cmd,1,"{""note"":""late, \\""quoted\\""""}"\r\n`);
  });

  it('writes CSV pages that can be concatenated', async () => {
    let text = '';
    for (
      let answer = await get('?format=csv&limit=1&column=amount&column=id');
      ;
      answer = await follow(nextOf(answer))
    ) {
      text += answer.text;
      if (nextOf(answer) === undefined) break;
    }
    expect(text.trim().split('\r\n')).toEqual([
      'amount,id',
      ...['0,a0', '1,a1', '2,a2', '3,a3', '5,a5', '1,a4', '6,a6', "1,'=cmd", '8,a8', '9,a9'],
    ]);
  });

  it('returns the available results while the batch runs, with its state', async () => {
    const { id } = await pipeline.submit(Array.from({ length: 7 }, (_, n) => ({ id: `b${n}` })));
    const none = await get('', {}, id);
    expect([none.status, none.text, none.headers.get('sluice-batch-state')]).toEqual([200, '', 'queued']);
    await pipeline.work(id, 1);
    const some = await get('', {}, id);
    expect(ids(some)).toEqual(['b0', 'b1', 'b2']);
    expect(some.headers.get('sluice-batch-state')).toBe('running');
  });

  it.each([
    ['?from=..%2Fx', 400, 'invalid-parameter'],
    ['?limit=0', 400, 'invalid-parameter'],
    ['?format=xml', 400, 'invalid-parameter'],
  ])('refuses %s', async (query, status, type) => {
    const answer = await get(query);
    const problem = problemSchema.parse(answer.json());
    expect([answer.status, problem.type.split('/').at(-1)]).toEqual([status, type]);
  });

  it('answers 404 for an unknown batch', async () => {
    const answer = await get('', {}, '01985a00-0000-7000-8000-000000000000');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });
});
