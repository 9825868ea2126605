import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch, insertBatch } from '../../../shared/batches/ledger.ts';
import { indexBatch } from '../../../shared/batches/listing/index-rows.ts';
import { openBatch } from '../../../shared/batches/listing/open-rows.ts';
import { nextRevision } from '../../../shared/batches/revisions.ts';
import { batchDate, CONTAINERS, newBatchId } from '../../../shared/contract/names.ts';
import { totalOperations } from '../../../shared/contract/operations.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { getBatch } from '../../../shared/http/batches/get-batch.ts';
import { listBatches } from '../../../shared/http/batches/list-batches.ts';
import { batchListSchema, batchViewSchema, uploadCheckSchema } from '../../../shared/http/batches/schemas.ts';
import { submitOverHttp } from '../../../shared/http/batches/upload/submit-batch.ts';
import { tryOverHttp } from '../../../shared/http/batches/upload/try-upload.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { createSlots } from '../../../shared/slots.ts';
import { queryEntities } from '../../../shared/storage/table.ts';
import type { GateRow } from '../../../shared/wake/gate/gate-row.ts';
import { changeGate } from '../../../shared/wake/gate/gate-store.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { type Answer, call, echo, nextOf, type Pipeline, startPipeline } from './pipeline.ts';

const DAY_MS = 86_400_000;
const prices = readPriceSheet('2026');
let pipeline: Pipeline;
const ids: Record<'done' | 'running' | 'redriven' | 'unaccepted' | 'yesterday' | 'lastMonth', string> = {} as never;

/** A batch of another day: as another one is, under an id of that day. */
async function atDay(pattern: string, daysBack: number): Promise<string> {
  const id = newBatchId(Date.now() - daysBack * DAY_MS);
  const row = await changeBatch(pipeline.clients.batches, pattern, () => ({}));
  if (!row) throw new Error('no pattern');
  await insertBatch(pipeline.clients.batches, { ...row, id }, []);
  await indexBatch(pipeline.clients.batches, { ...row, id });
  return id;
}

beforeAll(async () => {
  pipeline = await startPipeline();
  const table = pipeline.clients.batches;
  ids.done = (await pipeline.submit([{ id: 'a' }, { id: 'b', reject: 'no' }])).id;
  const ended = await pipeline.finish(ids.done);
  ids.running = (
    await pipeline.submit(
      Array.from({ length: 5 }, (_, n) => ({ id: `r${n}` })),
      { lane: 'bulk' },
    )
  ).id;
  await pipeline.work(ids.running, 1);
  ids.redriven = (await pipeline.submit([{ id: 'c' }], { workload: 'other' })).id;
  await pipeline.finish(ids.redriven);
  await openBatch(table, { ...ended, id: ids.redriven, workload: 'other', revision: 1 });
  const opening = { items: 1, openedAt: new Date().toISOString(), deadlineAt: new Date().toISOString() };
  await changeBatch(table, ids.redriven, (row) => ({
    ...nextRevision(row, opening),
    ...{ state: 'running', accepted: 2 },
  }));
  ids.unaccepted = newBatchId(Date.now());
  await openBatch(table, { ...ended, id: ids.unaccepted });
  ids.yesterday = await atDay(ids.done, 1);
  ids.lastMonth = await atDay(ids.done, 31);
});
afterAll(() => pipeline.stop());

const get = (query = ''): Promise<Answer> =>
  call(
    (request) => listBatches({ table: pipeline.clients.batches, now: pipeline.deps.gate.now }, request),
    `batches${query}`,
  );
const listed = (answer: Answer): string[] => batchListSchema.parse(answer.json()).batches.map(({ id }) => id);

describe('GET batches', () => {
  it('lists the last days, newest first, without what was never accepted', async () => {
    expect(listed(await get())).toEqual([ids.redriven, ids.running, ids.done, ids.yesterday]);
  });

  it('shows what is open as it is now', async () => {
    const { batches } = batchListSchema.parse((await get()).json());
    expect(batches[0]).toMatchObject({ id: ids.redriven, state: 'running', pending: 1, completedAt: null });
    expect(batches[1]).toMatchObject({ id: ids.running, state: 'running', lane: 'bulk', pending: 2, accepted: 5 });
    expect(batches[2]).toMatchObject({ state: 'completedWithDeadLetters', dead: 1, pending: 0 });
    expect(batches[2]?.completedAt).toMatch(/^\d{4}-.*Z$/);
  });

  it('lists a day that is long gone when it is named', async () => {
    const answer = await get(`?day=${batchDate(ids.lastMonth)}`);
    expect(listed(answer)).toEqual([ids.lastMonth]);
  });

  it('goes on across days by its links', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = 'batches?limit=1'; path !== undefined; ) {
      const answer: Answer = await get(path.slice('batches'.length));
      seen.push(...listed(answer));
      path = nextOf(answer);
    }
    expect(seen).toEqual([ids.redriven, ids.running, ids.done, ids.yesterday]);
  });

  it('filters by workload and by the state of now', async () => {
    expect(listed(await get('?workload=other'))).toEqual([ids.redriven]);
    expect(listed(await get('?state=running'))).toEqual([ids.redriven, ids.running]);
    expect(listed(await get('?state=completedWithDeadLetters&limit=200'))).toEqual([ids.done, ids.yesterday]);
    expect(listed(await get('?workload=gone'))).toEqual([]);
  });

  it.each(['?day=2026-02-30', '?day=today', '?state=done', '?limit=201', '?after=1', '?workload=A_b'])(
    'refuses %s',
    async (query) => {
      const answer = await get(query);
      expect(answer.status).toBe(400);
      expect(problemSchema.parse(answer.json()).type).toMatch(/invalid-parameter$/);
    },
  );

  it('refuses to go on in another day than that of the batch named', async () => {
    expect((await get(`?day=2026-01-01&after=${ids.done}`)).status).toBe(400);
  });
});

describe('GET batches/{id}', () => {
  const since = '2026-11-01T10:00:00.000Z';
  const paused = { by: 'circuit', reason: 'No thread could begin: NO_URL', since } as const;
  // One query in five begins with an empty page, which is an operation more: of two calls at most one meets it.
  const show = async (id: string) => {
    const [one, other] = [await showOnce(id), await showOnce(id)];
    return one.operations < other.operations ? one : other;
  };
  const showOnce = async (id: string) => {
    const { deps } = pipeline;
    const before = totalOperations(pipeline.clients.meter.total());
    const answer = await call((request) => getBatch({ ...deps, basis: BASIS }, request), `batches/${id}`, {
      params: { id },
    });
    const operations = totalOperations(pipeline.clients.meter.total()) - before;
    const { blocked, waiting } = batchViewSchema.parse(answer.json());
    return { blocked, waiting, operations };
  };

  it.each<[string, string, Partial<GateRow>, string]>([
    ['the circuit', 'echo-bulk-0', { paused }, 'paused by the circuit: No thread could begin: NO_URL'],
    [
      'an operator',
      'echo-results',
      { paused: { ...paused, by: 'operator', reason: 'audit' } },
      'paused by an operator: audit',
    ],
    ['no start', 'echo-bulk-0', { startFailure: { since, error: 'busy' } }, 'its drain cannot be started: busy'],
  ])('says what an unfinished batch waits for: %s', async (_what, queue, fields, reason) => {
    await changeGate(pipeline.deps.gate.table, queue, () => fields);

    // A third operation looks for what is ahead of it; what waits for its results alone has run.
    const isOfItems = queue !== 'echo-results';
    const ahead = { queue, batchesAhead: 0, itemsAhead: 0, reason };
    expect(await show(ids.running)).toEqual({
      ...{ blocked: { queue, since, reason }, operations: isOfItems ? 3 : 2 },
      waiting: isOfItems ? ahead : undefined,
    });
    expect(await show(ids.done)).toEqual({ blocked: undefined, waiting: undefined, operations: 1 });

    await changeGate(pipeline.deps.gate.table, queue, () => ({ paused: undefined, startFailure: undefined }));
    expect((await show(ids.running)).blocked).toBeUndefined();
  });

  it('is not blocked by a queue of another lane', async () => {
    await changeGate(pipeline.deps.gate.table, 'echo-normal-0', () => ({ paused }));

    expect((await show(ids.running)).blocked).toBeUndefined();
  });
});

interface Sent {
  query?: string;
  type?: string;
  headers?: Record<string, string>;
  route?: 'batches' | 'try';
  strict?: boolean;
}

/** Sends an upload to workload `echo`; `strict`: which validates at intake. */
function send(body: string, { query = '', type = 'application/x-ndjson', headers, route, strict }: Sent = {}) {
  const { deps, settings } = pipeline;
  const registry = strict ? createRegistry([{ ...echo, validateAtIntake: true }]) : pipeline.registry;
  const http = { registry, settings, basis: BASIS, slots: createSlots(1) };
  return call(
    (request) => (route === 'try' ? tryOverHttp(http, request) : submitOverHttp({ ...http, deps }, request)),
    `workloads/echo/${route ?? 'batches'}${query}`,
    { method: 'POST', params: { workload: 'echo' }, headers: { 'content-type': type, ...headers }, body },
  );
}

/** Names of all that an upload may leave behind. */
async function stored(): Promise<string[]> {
  const names: string[] = [];
  const payloads = pipeline.clients.container(CONTAINERS.payloads);
  for await (const { name } of payloads.listBlobsFlat({ includeUncommitedBlobs: true })) names.push(name);
  for await (const { partitionKey, rowKey } of queryEntities(pipeline.clients.batches, ''))
    names.push(`${partitionKey} ${rowKey}`);
  return names;
}

describe('an upload', () => {
  it('has labels and the name of its file, which stay with the batch and are found again', async () => {
    const headers = { 'sluice-labels': 'month=2026-09,team=R%26D', 'sluice-file-name': 'usage%202026.ndjson' };
    const view = batchViewSchema.parse((await send('{"id":"a"}\n{"id":"b","reject":"no"}\n', { headers })).json());
    const labels = { month: '2026-09', team: 'R&D' };
    expect(view).toMatchObject({ labels, source: { file: 'usage 2026.ndjson', format: 'ndjson' } });

    await pipeline.finish(view.id);
    const shown = batchListSchema.parse((await get('?label=month%3D2026-09&label=team=R%26D')).json()).batches;
    expect(shown).toMatchObject([
      { id: view.id, labels, file: 'usage 2026.ndjson', state: 'completedWithDeadLetters' },
    ]);
    expect(batchListSchema.parse((await get('?label=month=2026-09&label=team=sales')).json()).batches).toEqual([]);
    expect((await get('?label=month')).status).toBe(400);

    const events = pipeline.properties.filter(({ batch }) => batch === view.id);
    expect(events.map(({ type }) => type)).toEqual(['QueueWorkDetected', 'ItemsDeadLettered', 'BatchCompleted']);
    for (const event of events) expect(event).toMatchObject({ 'label.month': '2026-09', 'label.team': 'R&D' });
  });

  it('keeps the labels of the first time when it is repeated with its key', async () => {
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

  it('accepts what fits, and nothing of an upload of which one item does not', async () => {
    expect((await send('{"id":"a"}\n{"id":"b"}\n', { query: '?validate=all' })).status).toBe(202);
    const before = await stored();
    const answer = await send(`${'{"id":"a"}\n'.repeat(7)}{"id":1}\n`, { query: '?validate=all' });
    expect(answer.status).toBe(422);
    expect(problemSchema.parse(answer.json())).toMatchObject({
      type: 'https://sluice.example/problems/invalid-items',
      detail: '1 item does not fit the schema of workload "echo". Nothing was accepted.',
      errors: [{ line: 8, column: 7, message: 'id: Invalid input: expected string, received number' }],
    });
    expect(await stored()).toEqual(before);
  });

  it('names the first hundred faults, and counts all', async () => {
    const answer = await send(`{"id":"a"}\n${broken(0, 150)}{"id":"z"}\n`, { strict: true });
    const { detail, errors } = problemSchema.parse(answer.json());
    expect(answer.status).toBe(422);
    expect(detail).toMatch(/^150 items do not fit .* The first 100 are listed\./);
    expect(errors?.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, n) => n + 2));
  });

  it('gives the key of a refused upload free', async () => {
    const headers = { 'idempotency-key': 'later' };
    expect((await send('{"id":1}\n', { strict: true, headers })).status).toBe(422);
    expect((await send('{"id":"1"}\n', { strict: true, headers })).status).toBe(202);
  });

  it('refuses a record that cannot be read for that', async () => {
    expect((await send('{"id":1}\n{"id":', { query: '?validate=all' })).status).toBe(400);
  });
});

describe('POST workloads/{workload}/try', () => {
  it('says what an upload is understood as, and stores nothing', async () => {
    const before = await stored();
    const answer = await send('{"id":"a"}\n{"id":1}\n', { route: 'try' });
    expect(answer.status).toBe(200);
    expect(uploadCheckSchema.parse(answer.json())).toMatchObject({
      ...{ format: 'ndjson', encoding: 'identity', items: 2, valid: 1, invalid: 1, whole: true },
      causes: [{ count: 1, examples: [{ line: 2, column: 7, path: 'id' }] }],
      estimate: { items: 2, chunks: 1, sheet: prices.name },
    });
    expect(await stored()).toEqual(before);
  });

  it('validates no more items than asked for', async () => {
    const answer = await send('{"id":"a"}\n'.repeat(20), { route: 'try', query: '?items=7' });
    expect(uploadCheckSchema.parse(answer.json())).toMatchObject({ items: 7, whole: false, estimate: { items: 20 } });
    expect((await send('1', { route: 'try', query: '?items=10001' })).status).toBe(400);
  });

  it('answers with the fault of what cannot be read', async () => {
    const answer = await send('{"id":"a"}\n{"id":\n', { route: 'try' });
    expect(answer.status).toBe(200);
    expect(uploadCheckSchema.parse(answer.json()).fault).toMatchObject({ line: 2, column: 7 });
  });
});
