import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTAINERS } from '../../../shared/contract/names.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { batchListSchema, listBatches } from '../../../shared/http/batches/list-batches.ts';
import { batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import { uploadCheckSchema } from '../../../shared/http/batches/upload/schemas.ts';
import { submitOverHttp, tryOverHttp, UPLOAD_PLACES } from '../../../shared/http/batches/upload/uploads.ts';
import { createBodyPlaces } from '../../../shared/http/edge/request/body-places.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { queryEntities } from '../../../shared/storage/table.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { type Answer, call } from './call.ts';
import { echo, type Pipeline, startPipeline } from './pipeline.ts';

const prices = readPriceSheet('2026');
let pipeline: Pipeline;

beforeAll(async () => {
  pipeline = await startPipeline();
});
afterAll(() => pipeline.stop());

interface Sent {
  query?: string;
  type?: string;
  headers?: Record<string, string>;
  route?: 'batches' | 'try';
  strict?: boolean;
}

/** Sends an upload to workload `echo`. `strict` adds validation at intake. */
function send(body: string, { query = '', type = 'application/x-ndjson', headers, route, strict }: Sent = {}) {
  const { deps, settings } = pipeline;
  const registry = strict ? createRegistry([{ ...echo, validateAtIntake: true }]) : pipeline.registry;
  const http = { registry, settings, basis: BASIS, uploadPlaces: createBodyPlaces(UPLOAD_PLACES) };
  return call(
    (request) => (route === 'try' ? tryOverHttp(http, request) : submitOverHttp({ ...http, deps }, request)),
    `workloads/echo/${route ?? 'batches'}${query}`,
    { method: 'POST', params: { workload: 'echo' }, headers: { 'content-type': type, ...headers }, body },
  );
}

/** Lists batches. */
function find(query: string): Promise<Answer> {
  const { deps } = pipeline;
  return call((request) => listBatches(deps, request), `batches${query}`);
}

/** The names of everything that an upload may leave in storage. */
async function stored(): Promise<string[]> {
  const names: string[] = [];
  const payloads = pipeline.clients.container(CONTAINERS.payloads);
  for await (const { name } of payloads.listBlobsFlat({ includeUncommitedBlobs: true })) names.push(name);
  for await (const { partitionKey, rowKey } of queryEntities(pipeline.clients.batches, ''))
    names.push(`${partitionKey} ${rowKey}`);
  return names;
}

describe('an upload', () => {
  it('with the key and bytes of an earlier one, but a corrected content type, is refused and not taken for it', async () => {
    const as = (type: string) => send('[{"id":"a"}]', { type, headers: { 'idempotency-key': 'corrected' } });
    const first = batchViewSchema.parse((await as('application/x-ndjson')).json());
    expect(await as('application/json')).toMatchObject({ status: 422 });
    expect(batchViewSchema.parse((await as('application/x-ndjson')).json()).id).toBe(first.id);
  });

  it('stores labels and the file name with the batch, and finds them again', async () => {
    const headers = { 'sluice-labels': 'month=2026-09,team=R%26D', 'sluice-file-name': 'usage%202026.ndjson' };
    const view = batchViewSchema.parse((await send('{"id":"a"}\n{"id":"b","reject":"no"}\n', { headers })).json());
    const labels = { month: '2026-09', team: 'R&D' };
    expect(view).toMatchObject({ labels, source: { file: 'usage 2026.ndjson', format: 'ndjson' } });

    await pipeline.finish(view.id);
    const shown = batchListSchema.parse((await find('?label=month%3D2026-09&label=team=R%26D')).json()).batches;
    expect(shown).toMatchObject([
      { id: view.id, labels, file: 'usage 2026.ndjson', state: 'completedWithDeadLetters' },
    ]);
    expect(batchListSchema.parse((await find('?label=month=2026-09&label=team=sales')).json()).batches).toEqual([]);
    expect((await find('?label=month')).status).toBe(400);
    expect((await find('?label=Month=1')).status).toBe(400);

    const events = pipeline.properties.filter(({ batch }) => batch === view.id);
    expect(events.map(({ type }) => type)).toEqual(['QueueWorkDetected', 'ItemsDeadLettered', 'BatchCompleted']);
    for (const event of events) expect(event).toMatchObject({ 'label.month': '2026-09', 'label.team': 'R&D' });
  });

  it('keeps its first labels when it is repeated with its key', async () => {
    const first = { 'idempotency-key': 'once', 'sluice-labels': 'try=1', 'sluice-file-name': 'a.ndjson' };
    const second = { ...first, 'sluice-labels': 'try=2', 'sluice-file-name': 'b.ndjson' };
    const one = batchViewSchema.parse((await send('{"id":"a"}\n', { headers: first })).json());
    const two = batchViewSchema.parse((await send('{"id":"a"}\n', { headers: second })).json());
    expect(two).toMatchObject({ id: one.id, labels: { try: '1' }, source: { file: 'a.ndjson' } });
  });

  it.each<[string, Sent]>([
    ['labels', { headers: { 'sluice-labels': 'Month=1' } }],
    ['a file name', { headers: { 'sluice-file-name': '%' } }],
    ['a delimiter', { query: '?delimiter=x' }],
    ['a choice of what is validated', { query: '?validate=some' }],
  ])('is refused for %s that cannot be read', async (_what, sent) => {
    const answer = await send('{"id":"a"}\n', sent);
    expect([answer.status, problemSchema.parse(answer.json()).type]).toEqual([
      400,
      'https://sluice.example/problems/invalid-parameter',
    ]);
  });
});

describe('validation before acceptance', () => {
  const broken = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, n) => `{"id":${from + n}}\n`).join('');

  it('accepts valid uploads, and nothing of an upload with an invalid item', async () => {
    expect((await send('{"id":"a"}\n{"id":"b"}\n', { query: '?validate=all' })).status).toBe(202);
    const before = await stored();
    const answer = await send(`${'{"id":"a"}\n'.repeat(7)}{"id":1}\n`, { query: '?validate=all' });
    expect(answer.status).toBe(422);
    expect(problemSchema.parse(answer.json())).toMatchObject({
      type: 'https://sluice.example/problems/invalid-items',
      detail: '1 item does not fit the schema of workload "echo". Nothing was accepted.',
      errors: [{ line: 8, message: 'id: Invalid input: expected string, received number' }],
    });
    expect(await stored()).toEqual(before);
  });

  it('lists the first hundred errors, and counts all', async () => {
    const answer = await send(`{"id":"a"}\n${broken(0, 150)}{"id":"z"}\n`, { strict: true });
    const { detail, errors } = problemSchema.parse(answer.json());
    expect(answer.status).toBe(422);
    expect(detail).toMatch(/^150 items do not fit .* The first 100 are listed\./);
    expect(errors?.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
  });

  it('releases the key of a refused upload', async () => {
    const headers = { 'idempotency-key': 'later' };
    expect((await send('{"id":1}\n', { strict: true, headers })).status).toBe(422);
    expect((await send('{"id":"1"}\n', { strict: true, headers })).status).toBe(202);
  });

  it('refuses an unreadable record for that reason', async () => {
    expect((await send('{"id":1}\n{"id":', { query: '?validate=all' })).status).toBe(400);
  });
});

describe('POST workloads/{workload}/try', () => {
  it('returns how an upload is interpreted, and stores nothing', async () => {
    const before = await stored();
    const answer = await send('{"id":"a"}\n{"id":1}\n', { route: 'try' });
    expect(answer.status).toBe(200);
    expect(uploadCheckSchema.parse(answer.json())).toMatchObject({
      ...{ format: 'ndjson', encoding: 'identity', items: 2, valid: 1, invalid: 1, whole: true },
      causes: [{ count: 1, examples: [{ line: 2, path: 'id' }] }],
      estimate: { items: 2, chunks: 1, sheet: prices.name },
    });
    expect(await stored()).toEqual(before);
  });

  it('validates at most the requested number of items', async () => {
    const answer = await send('{"id":"a"}\n'.repeat(20), { route: 'try', query: '?items=7' });
    expect(uploadCheckSchema.parse(answer.json())).toMatchObject({ items: 7, whole: false, estimate: { items: 20 } });
    expect((await send('1', { route: 'try', query: '?items=10001' })).status).toBe(400);
  });

  it('returns the error of an unreadable upload', async () => {
    const answer = await send('{"id":"a"}\n{"id":\n', { route: 'try' });
    expect(answer.status).toBe(200);
    expect(uploadCheckSchema.parse(answer.json()).fault).toMatchObject({ line: 2, column: 7 });
  });
});
