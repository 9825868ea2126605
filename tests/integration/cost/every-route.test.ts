import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operations, subtractOperations } from '../../../shared/contract/operations.ts';
import { auditSchema } from '../../../shared/http/audit/routes.ts';
import { ROUTES } from '../../../shared/http/routes.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { startPipelineOn } from '../api/pipeline.ts';
import { type CountingStorage, startCountingStorage } from '../idle/counting-storage.ts';
import { type Answered, type Asked, ask, registerFunctions } from './functions.ts';

const QUEUE = 'billing-normal-0';
const ITEMS = 60;
/** Queries that a route is called with, in addition to its plain address. */
const QUERIES: Record<string, string[]> = {
  'get-results': ['?format=csv', '?manifest', '?limit=2', '?limit=2&format=csv'],
  'get-report': ['?format=csv', '?format=json'],
  'get-dead-letters': ['?format=ndjson', '?format=ndjson&cause=none', '?cause=CAUSE', '?cause=CAUSE&limit=1'],
  'find-items': ['?state=dead', '?results&limit=10', '?itemId=i7'],
  'list-queues': ['?fresh'],
  'list-batches': ['?day=2026-01-01', '?state=completed'],
  health: ['?deep'],
};

let storage: CountingStorage;
let app: Awaited<ReturnType<typeof registerFunctions>>;
let params: Record<string, string>;

beforeAll(async () => {
  storage = await startCountingStorage(() => 0);
  const pipeline = startPipelineOn(storage.direct);
  const items = Array.from({ length: ITEMS }, (_, n) => ({ id: `i${n}`, ...(n % 3 === 0 ? { reject: 'no' } : {}) }));
  const { id } = await pipeline.submit(items);
  await pipeline.finish(id);
  await pipeline.submit([{ id: 'open' }]);
  await pipeline.stop();
  params = { id, queue: QUEUE, position: '7', workload: 'billing', file: 'app.js' };
  Object.assign(process.env, connectionsTo(storage.counted));
  app = await registerFunctions();
});
afterAll(() => storage?.stop());

/** The operations that the app has counted during a request, and those that storage has received. */
async function operationsOf(asked: Asked): Promise<{ answer: Answered; counted: Operations; seen: Operations }> {
  const before = app.meter.total();
  storage.take();
  const answer = await ask(asked);
  const seen = storage.take();
  const counted = Object.entries(subtractOperations(app.meter.total(), before)).filter(([, count]) => count !== 0);
  return { answer, counted: Object.fromEntries(counted), seen };
}

const READS = ROUTES.filter(({ method }) => method === 'GET').flatMap(({ name, path }) =>
  ['', ...(QUERIES[name] ?? [])].map((query) => ({ name, template: path + query })),
);
/**
 * Routes that are refused: no dashboard is built here, the workload of the batch is not deployed, and the containers
 * that workloads declare are missing.
 */
const STATUS: Record<string, number> = {
  dashboard: 503,
  'dashboard/{file}': 404,
  'batches/{id}/items?itemId=i7': 400,
  'health?deep': 503,
};

describe('the app counts the operations that storage receives', () => {
  it.each(READS)('GET $template', async ({ name, template }) => {
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, parameter) => params[parameter] ?? '');
    const path = filled.replace('CAUSE', encodeURIComponent('rejected: no'));

    const { answer, counted, seen } = await operationsOf({ name, path, params });

    expect(answer.status).toBe(STATUS[template] ?? 200);
    expect(counted).toEqual(seen);
  });

  it('for a body that is created while it is sent', async () => {
    const { counted } = await operationsOf({ name: 'get-results', path: `batches/${params.id}/results`, params });

    expect(counted).toEqual({ 'table.get': 1, 'table.query': 1, 'blob.get': ITEMS / 3 });
  });

  it('for a request that is refused', async () => {
    const id = '01985a00-0000-7000-8000-000000000000';
    const { answer, counted, seen } = await operationsOf({ name: 'get-batch', path: `batches/${id}`, params: { id } });

    expect([answer.status, counted]).toEqual([404, { 'table.query': 1 }]);
    expect(counted).toEqual(seen);
  });

  it('for an action', async () => {
    const { counted, seen } = await operationsOf({
      ...{ name: 'pause-queue', method: 'POST', path: `queues/${QUEUE}/pause`, params },
      body: '{"reason":"test"}',
    });

    expect(counted).toEqual(seen);
  });
});

it('an action is in the audit log, and a refused one is not', async () => {
  const headers = { 'sluice-operator': 'Ada%20Lovelace', 'x-ms-client-principal': 'e30=' };
  const pause = { name: 'pause-queue', method: 'POST', headers };
  await ask({ ...pause, path: `queues/${QUEUE}/pause`, params: { queue: QUEUE }, body: '{"reason":"for the log"}' });
  await ask({ ...pause, path: 'queues/none/pause', params: { queue: 'none' } });

  const answer = await ask({ name: 'get-audit', path: `audit?target=${QUEUE}&limit=1` });

  expect(auditSchema.parse(JSON.parse(answer.text)).entries).toEqual([
    {
      ...{ at: expect.any(String), action: 'pause-queue', target: QUEUE, by: 'Ada Lovelace', verified: false },
      ...{ detail: 'reason: for the log', status: 200 },
    },
  ]);
  const all = await ask({ name: 'get-audit', path: 'audit' });
  expect(all.text).not.toContain('"none"');
});
