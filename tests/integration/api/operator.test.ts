import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { batchDate } from '../../../shared/contract/names.ts';
import { totalOperations } from '../../../shared/contract/operations.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { readPolicy } from '../../../shared/drain/planner.ts';
import { DEFAULT_POLICY } from '../../../shared/drain/policy.ts';
import { getCost } from '../../../shared/http/cost/get-cost.ts';
import { costSchema } from '../../../shared/http/cost/schemas.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { listQueues } from '../../../shared/http/queues/list-queues.ts';
import { pauseQueue, resumeQueue } from '../../../shared/http/queues/pause-queue.ts';
import { getPolicy, putPolicy } from '../../../shared/http/queues/policy.ts';
import { policyViewSchema, queueListSchema, queueViewSchema } from '../../../shared/http/queues/schemas.ts';
import { changeGate, type GateDeps, readGate, recordHeartbeat, wake } from '../../../shared/wake/gate.ts';
import { type Answer, call, type Pipeline, startPipeline } from './pipeline.ts';

const QUEUE = 'echo-normal-0';
let pipeline: Pipeline;
let gate: GateDeps;
let started: string[] = [];

beforeAll(async () => {
  pipeline = await startPipeline();
  const { table, now } = pipeline.deps.gate;
  gate = { table, now, start: async ({ queue }) => void started.push(queue), status: async () => 'Running' };
});
afterAll(() => pipeline.stop());
beforeEach(() => {
  started = [];
});

const operations = (): number => totalOperations(pipeline.clients.meter.total());
const queues = async (query = '', pool?: string) => {
  const { registry, depthOf } = pipeline.deps;
  const answer = await call((request) => listQueues({ ...gate, registry, pool, depthOf }, request), `queues${query}`);
  return queueListSchema.parse(answer.json()).queues;
};

describe('GET queues', () => {
  it('shows every queue of the pool, those never woken too, by one operation', async () => {
    await recordHeartbeat(gate.table, { queue: QUEUE, task: 't1', generation: 1, until: Date.now() });
    const before = operations();
    const shown = await queues();
    expect(operations() - before).toBe(1);
    expect(shown.map(({ queue, kind, status }) => [queue, kind, status])).toEqual([
      [QUEUE, 'items', 'idle'],
      ['echo-bulk-0', 'items', 'idle'],
      ['echo-results', 'results', 'idle'],
      ['other-normal-0', 'items', 'idle'],
      ['other-results', 'results', 'idle'],
    ]);
    expect(await queues('', 'elsewhere')).toEqual([]);
  });

  it('shows what the gate knows, and measures when asked to', async () => {
    await pipeline.submit(Array.from({ length: 9 }, (_, n) => ({ id: `q${n}` })));
    await changeGate(gate.table, QUEUE, () => ({ depth: 7, active: 2, total: 5, itemsPerSecond: 120 }));
    const [stored] = await queues();
    expect(stored).toMatchObject({
      depth: 7,
      active: 2,
      total: 5,
      itemsPerSecond: 120,
      paused: null,
      startFailure: null,
    });
    const [fresh] = await queues('?fresh');
    expect(fresh?.depth).toBe(3);
  });
});

const post = (action: 'pause' | 'resume', queue: string, body?: string, pool?: string): Promise<Answer> =>
  call(
    (request) =>
      action === 'pause'
        ? pauseQueue({ registry: pipeline.registry, gate }, request)
        : resumeQueue({ registry: pipeline.registry, pool, gate }, request),
    `queues/${queue}/${action}`,
    { method: 'POST', params: { queue }, ...(body === undefined ? {} : { body }) },
  );

const failed = { since: '2026-11-01T10:00:00.000Z', error: 'The runtime does not answer.' };

it('GET queues shows a drain that could not be started', async () => {
  await changeGate(gate.table, 'echo-bulk-0', () => ({ startFailure: failed }));
  expect((await queues()).find(({ queue }) => queue === 'echo-bulk-0')?.startFailure).toEqual(failed);
  await changeGate(gate.table, 'echo-bulk-0', () => ({ startFailure: undefined }));
});

describe('POST queues/{queue}/pause and resume', () => {
  it('holds wakes back until the queue is resumed, which wakes it', async () => {
    const paused = queueViewSchema.parse((await post('pause', QUEUE, '{"reason":"ledger is down"}')).json());
    expect(paused.paused).toMatchObject({ by: 'operator', reason: 'ledger is down' });
    expect(await wake(gate, QUEUE)).toBe('paused');
    expect(started).toEqual([]);
    const resumed = queueViewSchema.parse((await post('resume', QUEUE)).json());
    expect(resumed).toMatchObject({ paused: null, status: 'draining', generation: 1 });
    expect(started).toEqual([QUEUE]);
  });

  it('keeps since when when it is paused again, and needs no reason', async () => {
    const first = queueViewSchema.parse((await post('pause', 'echo-bulk-0')).json());
    const again = queueViewSchema.parse((await post('pause', 'echo-bulk-0', '{"reason":"still"}')).json());
    expect(again.paused).toMatchObject({ reason: 'still', since: first.paused?.since });
  });

  it('does not start a drain that the pool of the queue would never see', async () => {
    const answer = await post('resume', QUEUE, undefined, 'heavy');
    expect([answer.status, started]).toEqual([409, []]);
  });

  it.each([
    ['unknown-queue', undefined, 404],
    [QUEUE, '{', 400],
    [QUEUE, '{"because":1}', 400],
    [QUEUE, `{"reason":"${'x'.repeat(70_000)}"}`, 413],
  ])('refuses what does not fit (%#)', async (queue, body, status) => {
    const answer = await post('pause', queue, body);
    expect([answer.status, problemSchema.parse(answer.json()).status]).toEqual([status, status]);
  });
});

describe('queues/{queue}/policy', () => {
  const policy = (method: 'GET' | 'PUT', body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const deps = { table: gate.table, registry: pipeline.registry, capacity: 100 };
    return call(
      (request) => (method === 'GET' ? getPolicy(deps, request) : putPolicy(deps, request)),
      'queues/other-normal-0/policy',
      {
        method,
        params: { queue: 'other-normal-0' },
        headers,
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
    );
  };
  const changed = { ...DEFAULT_POLICY, capacity: 4 };

  it('is the default until one is put, and is then what drains plan by', async () => {
    const before = await policy('GET');
    expect(before.headers.get('etag')).toBe('"0"');
    expect(policyViewSchema.parse(before.json())).toEqual({
      queue: 'other-normal-0',
      version: 0,
      policy: DEFAULT_POLICY,
    });
    const put = await policy('PUT', changed, { 'if-match': '"0"' });
    expect([put.status, put.headers.get('etag')]).toEqual([200, '"1"']);
    const { row } = await readGate(gate.table, 'other-normal-0');
    expect(row.policyVersion).toBe(1);
    expect(await readPolicy({ table: gate.table, capacity: 100 }, row)).toEqual(changed);
    expect(policyViewSchema.parse((await policy('GET')).json())).toMatchObject({ version: 1, policy: changed });
  });

  it('is not replaced by whoever has read another version', async () => {
    await policy('PUT', changed);
    const late = await policy('PUT', DEFAULT_POLICY, { 'if-match': '"0"' });
    expect(late.status).toBe(412);
    expect(policyViewSchema.parse((await policy('GET')).json()).policy).toEqual(changed);
  });

  it('counts each of many changes at once', async () => {
    const { version } = policyViewSchema.parse((await policy('GET')).json());
    await Promise.all(Array.from({ length: 5 }, (_, n) => policy('PUT', { ...changed, capacity: n + 1 })));
    expect(policyViewSchema.parse((await policy('GET')).json()).version).toBe(version + 5);
  });

  it.each([
    [{ ...changed, thresholds: [{ below: 10, tasks: 1 }] }, {}],
    [{ ...changed, capacity: 0 }, {}],
    [{ ...changed, more: 1 }, {}],
    ['[', {}],
    [changed, { 'if-match': 'W/"x"' }],
  ])('refuses what is none (%#)', async (body, headers) => {
    const answer = await policy('PUT', body, headers);
    expect([answer.status, problemSchema.parse(answer.json()).type]).toEqual([
      400,
      expect.stringMatching(/invalid-parameter$/),
    ]);
  });
});

describe('GET cost', () => {
  it('adds up the batches of the day and the month, ended ones by their listing', async () => {
    const { clients, settings } = pipeline;
    const done = await pipeline.submit([{ id: 'a' }, { id: 'b' }]);
    await pipeline.finish(done.id);
    const prices = readPriceSheet('2026');
    const ask = async (query = '') => {
      const deps = { table: clients.batches, meter: clients.meter, sinceMs: 0, prices, settings };
      return costSchema.parse((await call((request) => getCost(deps, request), `cost${query}`)).json());
    };
    const before = await ask();
    expect(before.day.batches).toBe(before.month.batches);
    const more = await pipeline.submit([{ id: 'c' }]);
    await changeBatch(clients.batches, more.id, () => ({ operations: { 'blob.put': 10_000 } }));
    const after = await ask(`?day=${batchDate(more.id)}`);
    expect(after.day.batches - before.day.batches).toBe(1);
    expect(after.day.items - before.day.items).toBe(1);
    expect((after.day.work.operations['blob.put'] ?? 0) - (before.day.work.operations['blob.put'] ?? 0)).toBe(10_000);
    expect(after.day.wakeUps.actions).toBeGreaterThan(0);
    expect(after.month.idle.usd).toBeGreaterThanOrEqual(after.day.idle.usd);
    expect(after.day.totalUsd).toBeCloseTo(after.day.work.usd + after.day.wakeUps.usd + after.day.idle.usd, 5);
    const past = await ask('?day=2020-02-03');
    expect(past.month).toMatchObject({ from: '2020-02-01', to: '2020-02-29', batches: 0, usdPerMillionItems: null });
  });
});
