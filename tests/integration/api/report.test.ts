import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { getReport, reportLineSchema, reportSchema } from '../../../shared/http/batches/downloads/get-report.ts';
import { batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import { batchView } from '../../../shared/http/batches/view/batch-view.ts';
import { REDRIVE_PLACES, redriveDeadLetters } from '../../../shared/http/dead-letters/redrive-dead-letters.ts';
import { redriveAnswerSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { createBodyPlaces } from '../../../shared/http/edge/request/body-places.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { type Answer, call } from './call.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

let pipeline: Pipeline;
let batch: string;

beforeAll(async () => {
  pipeline = await startPipeline();
  const records = ['a1', 'b1', 'a2', '=x', 'b2', 'c1', 'a3'].map((id, n) => ({ id, amount: n }));
  batch = (await pipeline.submit([...records, { id: 'd', reject: 'no' }])).id;
  await pipeline.finish(batch);
});
afterAll(() => pipeline.stop());

const get = (query = '', headers: Record<string, string> = {}, id = batch): Promise<Answer> =>
  call(
    (request) => getReport({ table: pipeline.clients.batches, container: pipeline.clients.container }, request),
    `batches/${id}/report${query}`,
    { params: { id }, headers },
  );

describe('GET batches/{id}/report', () => {
  it('returns one line per key, sorted, with its counts in headers', async () => {
    const answer = await get();
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => reportLineSchema.parse(JSON.parse(line)));
    expect(lines).toEqual([
      { key: '=', value: { items: 1, amount: 3 } },
      { key: 'a', value: { items: 3, amount: 8 } },
      { key: 'b', value: { items: 2, amount: 5 } },
      { key: 'c', value: { items: 1, amount: 5 } },
    ]);
    const header = (name: string): string | null => answer.headers.get(`sluice-report-${name}`);
    expect(['revision', 'rows', 'accepted', 'succeeded', 'dead', 'cancelled'].map(header)).toEqual([
      '0',
      '4',
      '8',
      '7',
      '1',
      '0',
    ]);
    expect(answer.headers.get('etag')).toBe(`"${batch}-0"`);
  });

  it('returns CSV with one column per field, and no formula', async () => {
    const { text, headers } = await get('', { accept: 'text/csv' });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(text).toBe("key,items,amount\r\n'=,1,3\r\na,3,8\r\nb,2,5\r\nc,1,5\r\n");
  });

  it('returns one JSON document', async () => {
    const report = reportSchema.parse((await get('?format=json')).json());
    expect(report.counts).toEqual({ accepted: 8, succeeded: 7, dead: 1, discarded: 0, cancelled: 0 });
    expect(report.items).toHaveLength(4);
  });

  it('lists the newest revision if the requested one does not exist', async () => {
    const answer = await get('?revision=3');
    expect(answer.status).toBe(404);
    expect(problemSchema.parse(answer.json()).detail).toBe(
      `Batch ${batch} has no report of revision 3; the newest is 0.`,
    );
  });

  it('reports the progress of a batch that has no report yet', async () => {
    const { id } = await pipeline.submit(Array.from({ length: 5 }, (_, n) => ({ id: `x${n}` })));
    await pipeline.work(id, 1);
    const answer = await get('', {}, id);
    expect(answer.status).toBe(404);
    expect(problemSchema.parse(answer.json()).detail).toBe(
      `Batch ${id} has no report yet: it is running, and 2 of its 5 items are pending.`,
    );
  });

  it('returns why a finished batch has none', async () => {
    const { id } = await pipeline.submit([{ id: 'y' }]);
    await pipeline.finish(id);
    await changeBatch(pipeline.clients.batches, id, () => ({ reportRevision: -1, reportProblem: 'too many keys' }));
    const { detail } = problemSchema.parse((await get('', {}, id)).json());
    expect(detail).toBe(`Batch ${id} is completed, and has no report: too many keys.`);
  });

  it('returns why a redriven batch has none of its newest revision', async () => {
    const { id } = await pipeline.submit([{ id: 'y' }]);
    await pipeline.finish(id);
    await changeBatch(pipeline.clients.batches, id, () => ({ revision: 1, reportProblem: 'merge failed' }));
    const { detail } = problemSchema.parse((await get('?revision=1', {}, id)).json());
    expect(detail).toBe(`Batch ${id} is completed, and has no report of revision 1: merge failed.`);
  });
});

describe('POST batches/{id}/dead-letters/redrive for the report alone', () => {
  const post = (id: string, body: unknown): Promise<Answer> =>
    call(
      (request) => redriveDeadLetters({ ...pipeline, redrivePlaces: createBodyPlaces(REDRIVE_PLACES) }, request),
      `batches/${id}/dead-letters/redrive`,
      {
        ...{ method: 'POST', params: { id }, body: JSON.stringify(body) },
      },
    );

  it('creates the report of a batch whose report failed', async () => {
    const { id } = await pipeline.submit([{ id: 'y', amount: 2 }]);
    await pipeline.finish(id);
    const failed = { state: 'reportFailed', reportRevision: -1, reportProblem: 'merge failed' } as const;
    await changeBatch(pipeline.clients.batches, id, () => failed);

    const answer = await post(id, { report: true, key: 'k' });

    expect(answer.status).toBe(202);
    expect(redriveAnswerSchema.parse(answer.json())).toMatchObject({ revision: 1, redriven: 0, chunks: 0 });
    expect((await post(id, { report: true, key: 'k' })).json()).toEqual(answer.json());
    const row = await pipeline.finish(id);
    const view = batchViewSchema.parse(batchView(row, pipeline.deps.gate.now(), BASIS));
    expect(view).toMatchObject({ state: 'completed', reportRevision: 1, ratePerSecond: null });
    expect(view.revisions.map(({ items, latencyMs }) => [items, latencyMs === null])).toEqual([
      [1, false],
      [0, true],
    ]);
    expect(reportSchema.parse((await get('?format=json', {}, id)).json())).toMatchObject({
      ...{ revision: 1, items: [{ key: 'y', value: { items: 1, amount: 2 } }] },
    });
  });

  it.each([
    [409, { report: true }],
    [400, { report: true, items: [7] }],
    [400, { report: true, ratePerSecond: 1 }],
    [400, { report: false }],
  ])('is refused with %i if no report is missing, or more is requested: %j', async (status, body) => {
    const answer = await post(batch, body);
    expect([answer.status, problemSchema.parse(answer.json()).status]).toEqual([status, status]);
  });
});

describe('a batch', () => {
  it('is shown with a receipt, and the cost of one message per item for comparison', async () => {
    const row = await pipeline.finish(batch);
    const view = batchViewSchema.parse(batchView(row, pipeline.deps.gate.now(), BASIS));
    expect(view.receipt.operations['blob.put']).toBeGreaterThanOrEqual(3);
    expect(view.receipt.totalUsd).toBeGreaterThan(0);
    expect(view.receipt.comparison.messagePerItem.operations).toBe(17);
    expect(view.counts).toMatchObject({ accepted: 8, succeeded: 7, dead: 1, pending: 0 });
  });
});
