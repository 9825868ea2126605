import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { recordAction } from '../../../shared/commands/audit-log.ts';
import { batchDate } from '../../../shared/contract/names.ts';
import { totalOperations } from '../../../shared/contract/operations.ts';
import { createOverhead } from '../../../shared/cost/overhead.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { readPolicy } from '../../../shared/drain/planning/planner.ts';
import { DEFAULT_POLICY } from '../../../shared/drain/planning/policy.ts';
import { getCost } from '../../../shared/http/cost/get-cost.ts';
import { costSchema } from '../../../shared/http/cost/schemas.ts';
import { problemSchema } from '../../../shared/http/edge/schemas.ts';
import { getHistory } from '../../../shared/http/history/get-history.ts';
import { historySchema } from '../../../shared/http/history/schemas.ts';
import { listQueues } from '../../../shared/http/queues/list-queues.ts';
import { drainNow, pauseQueue, resumeQueue } from '../../../shared/http/queues/pause-queue.ts';
import { getPolicy, putPolicy } from '../../../shared/http/queues/policy.ts';
import { policyViewSchema, queueListSchema, queueViewSchema } from '../../../shared/http/queues/schemas.ts';
import { type GateDeps, wake } from '../../../shared/wake/gate/gate.ts';
import { changeGate, readGate } from '../../../shared/wake/gate/gate-store.ts';
import { recordHeartbeat } from '../../../shared/wake/gate/heartbeat.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
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

const queues = async (query = '', pool?: string) => {
  const answer = await call((request) => listQueues({ ...pipeline.deps, pool }, request), `queues${query}`);
  return queueListSchema.parse(answer.json()).queues;
};

describe('GET queues', () => {
  it('shows every queue of the pool, those never woken too, by two operations once it has measured', async () => {
    await recordHeartbeat(gate.table, { queue: QUEUE, task: 't1', generation: 1, until: Date.now() });
    const { meter } = pipeline.clients;
    const { value: shown, operations: first } = await meter.measure(() => queues());
    const { operations: second } = await meter.measure(() => queues());
    // The storage front begins some queries with an empty page, which is one more.
    const queries = [{ 'table.query': 2 }, { 'table.query': 3 }];
    expect(queries.map((each) => ({ ...each, 'queue.properties': shown.length }))).toContainEqual(first);
    expect(queries).toContainEqual(second);
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
    const depthAt = new Date(gate.now()).toISOString();
    await changeGate(gate.table, QUEUE, () => ({ depth: 7, depthAt, active: 2, total: 5, itemsPerSecond: 120 }));
    const [stored] = await queues();
    expect(stored).toMatchObject({
      depth: 7,
      depthAt,
      backlog: { batches: 1, items: 9 },
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
      action === 'pause' ? pauseQueue(pipeline.deps, request) : resumeQueue({ ...pipeline.deps, pool, gate }, request),
    `queues/${queue}/${action}`,
    { method: 'POST', params: { queue }, ...(body === undefined ? {} : { body }) },
  );

const failed = { since: '2026-11-01T10:00:00.000Z', error: 'The runtime does not answer.' };

it('GET queues shows a drain that could not be started', async () => {
  await changeGate(gate.table, 'echo-bulk-0', () => ({ startFailure: failed }));
  expect((await queues()).find(({ queue }) => queue === 'echo-bulk-0')?.startFailure).toEqual(failed);
  await changeGate(gate.table, 'echo-bulk-0', () => ({ startFailure: undefined }));
});

describe('GET queues, of a paused queue', () => {
  const lane = async (query = '') => (await queues(query)).find(({ queue }) => queue === 'echo-bulk-0');

  it('measures it, which no drain does, and counts what is open in it', async () => {
    await post('pause', 'echo-bulk-0', '{"reason":"ledger is down"}');
    const { id } = await pipeline.submit([{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }], { lane: 'bulk' });
    await pipeline.submit([{ id: 'e' }], { lane: 'bulk' });
    expect(await lane('?fresh')).toMatchObject({ depth: 3, backlog: { batches: 2, items: 5 } });
    expect(Date.parse((await lane())?.depthAt ?? '')).toBeGreaterThan(gate.now() - 10_000);
    await pipeline.finish(id);
    expect((await lane('?fresh'))?.backlog).toEqual({ batches: 1, items: 1 });
  });

  it('says in the answers to pause and resume what waits', async () => {
    const resumed = queueViewSchema.parse((await post('resume', 'echo-bulk-0')).json());
    expect(resumed).toMatchObject({ depth: 3, depthAt: expect.any(String), backlog: { batches: 1, items: 1 } });
    await changeGate(gate.table, 'echo-bulk-0', () => ({ status: 'idle' }));
  });
});

describe('POST queues/{queue}/pause and resume', () => {
  it('holds wakes back until the queue is resumed, which wakes it', async () => {
    const paused = queueViewSchema.parse((await post('pause', QUEUE, '{"reason":"ledger is down"}')).json());
    expect(paused).toMatchObject({ paused: { by: 'operator', reason: 'ledger is down' }, depth: 3 });
    expect(await wake(gate, QUEUE)).toBe('paused');
    expect(started).toEqual([]);
    const resumed = queueViewSchema.parse((await post('resume', QUEUE)).json());
    expect(resumed).toMatchObject({ paused: null, status: 'draining', generation: 1, depth: 3 });
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

describe('POST queues/{queue}/drain', () => {
  const drain = async (queue: string, { pool, depth = 0 }: { pool?: string; depth?: number } = {}) => {
    const measured: string[] = [];
    const depthOf = async (name: string): Promise<number> => {
      measured.push(name);
      return depth;
    };
    const deps = { ...pipeline.deps, pool, gate, depthOf };
    const answer = await call((request) => drainNow(deps, request), `queues/${queue}/drain`, {
      method: 'POST',
      params: { queue },
    });
    return { answer, measured };
  };
  const IDLE = 'other-normal-0';

  it('starts a drain of a queue that holds messages, and nothing for one that is empty', async () => {
    const empty = await drain(IDLE);
    expect(queueViewSchema.parse(empty.answer.json())).toMatchObject({ status: 'idle', depth: 0, generation: 0 });
    expect([empty.answer.status, started]).toEqual([200, []]);
    const { answer } = await drain(IDLE, { depth: 7 });
    expect(queueViewSchema.parse(answer.json())).toMatchObject({ status: 'draining', depth: 7, generation: 1 });
    expect([answer.status, started]).toEqual([200, [IDLE]]);
  });

  it('counts as a wake for a drain that runs, which then looks again', async () => {
    const { wakes } = (await readGate(gate.table, IDLE)).row;
    const view = queueViewSchema.parse((await drain(IDLE)).answer.json());
    expect([view.wakes, started]).toEqual([wakes + 1, []]);
  });

  it('is refused for a queue that an operator has paused, with the reason, and for one of another pool', async () => {
    await post('pause', 'echo-bulk-0', '{"reason":"ledger is down"}');
    const paused = await drain('echo-bulk-0', { depth: 7 });
    expect(problemSchema.parse(paused.answer.json())).toMatchObject({
      status: 409,
      detail: expect.stringContaining('(ledger is down): resume it'),
    });
    const other = await drain(IDLE, { pool: 'heavy', depth: 7 });
    expect([other.answer.status, paused.measured, other.measured, started]).toEqual([409, [], [], []]);
    expect((await drain('unknown-queue')).answer.status).toBe(404);
  });

  it('waits like a wake for the probe of a queue that the circuit has paused', async () => {
    const probeAt = new Date(gate.now() + 60_000).toISOString();
    const paused = { by: 'circuit', reason: 'failures', since: probeAt, probeAt } as const;
    await changeGate(gate.table, 'echo-bulk-0', () => ({ paused }));
    const { answer } = await drain('echo-bulk-0', { depth: 7 });
    expect([answer.status, queueViewSchema.parse(answer.json()).paused?.by, started]).toEqual([200, 'circuit', []]);
    await changeGate(gate.table, 'echo-bulk-0', () => ({ paused: undefined }));
  });
});

describe('queues/{queue}/policy', () => {
  const policy = (
    method: 'GET' | 'PUT',
    body?: unknown,
    headers: Record<string, string> = {},
    queue = 'other-normal-0',
  ): Promise<Answer> => {
    const deps = { table: gate.table, registry: pipeline.registry, capacity: 100 };
    return call(
      (request) => (method === 'GET' ? getPolicy(deps, request) : putPolicy(deps, request)),
      `queues/${queue}/policy`,
      {
        method,
        params: { queue },
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

  it('keeps the policy that it has replaced: to put that undoes the change, of the first one too', async () => {
    const queue = 'echo-results';
    const view = async (answer: Promise<Answer>) => policyViewSchema.parse((await answer).json());
    expect(await view(policy('PUT', changed, {}, queue))).toMatchObject({ version: 1, previous: DEFAULT_POLICY });
    const second = { ...changed, capacity: 5 };
    expect(await view(policy('PUT', second, {}, queue))).toMatchObject({ policy: second, previous: changed });
    const { version, previous } = await view(policy('GET', undefined, {}, queue));
    expect(previous).toEqual(changed);
    const undone = await view(policy('PUT', previous, { 'if-match': `"${version}"` }, queue));
    expect(undone).toEqual({ queue, version: 3, policy: changed, previous: second });
    expect(await view(policy('GET', undefined, {}, queue))).toEqual(undone);
  });

  it('may bound receives and wake events, which a policy without these fields clears', async () => {
    const bounded = { ...changed, receiveSize: 8, receiveIntervalMs: 2_000, notifyFrom: 500 };
    expect((await policy('PUT', bounded)).status).toBe(200);
    expect(policyViewSchema.parse((await policy('GET')).json()).policy).toEqual(bounded);
    await policy('PUT', changed);
    expect(policyViewSchema.parse((await policy('GET')).json()).policy).toEqual(changed);
  });

  it('of results may bound receives, and not wake events', async () => {
    const put = (fields: object) => policy('PUT', { ...changed, ...fields }, {}, 'other-results');
    expect((await put({ receiveSize: 8, receiveIntervalMs: 2_000 })).status).toBe(200);
    const refused = problemSchema.parse((await put({ notifyFrom: 500 })).json());
    expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('notifyFrom') });
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
    [{ ...changed, receiveSize: 33 }, {}],
    [{ ...changed, receiveIntervalMs: 60_001 }, {}],
    [{ ...changed, notifyFrom: 0 }, {}],
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
      const deps = {
        table: clients.batches,
        gates: clients.gates,
        meter: clients.meter,
        overhead: createOverhead(clients.meter),
        sinceMs: 0,
        prices,
        settings,
        registry: pipeline.registry,
      };
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
    expect(after.month.idle.usd).toBeGreaterThanOrEqual(after.day.idle.usd);
    expect(after.day.totalUsd).toBeCloseTo(after.day.work.usd + after.day.wakeUps.usd + after.day.idle.usd, 5);
    const past = await ask('?day=2020-02-03');
    expect(past.month).toMatchObject({ from: '2020-02-01', to: '2020-02-29', batches: 0, usdPerMillionItems: null });
  });
});

describe('GET history', () => {
  const ask = async (query = '') => {
    const { clients, deps } = pipeline;
    const http = { table: clients.batches, gates: clients.gates, now: deps.gate.now, ...BASIS };
    const answer = await call((request) => getHistory(http, request), `history${query}`);
    return { status: answer.status, history: answer.status === 200 ? historySchema.parse(answer.json()) : undefined };
  };

  it('adds up finished batches by day and workload, by their lines alone, and names what operators did', async () => {
    const open = await pipeline.submit([{ id: 'open' }], { workload: 'other' });
    const done = await pipeline.submit([{ id: 'a' }], { workload: 'other' });
    const { latencyP95, completedAt = '', openedAt } = await pipeline.finish(done.id);
    const day = batchDate(done.id);
    const actions = [
      ['put-policy', 200],
      ['run-sweep', 200],
      ['pause-queue', 409],
      ['pause-queue', 200],
    ] as const;
    for (const [n, [action, status]] of actions.entries()) {
      const at = new Date(Date.parse(`${day}T00:00:00Z`) + n).toISOString();
      const entry = { at, action, target: QUEUE, by: 'ada', verified: false, detail: '', status };
      await recordAction(pipeline.clients.batches, entry, String(n));
    }
    const { meter } = pipeline.clients;
    const { value, operations } = await meter.measure(() => ask(`?day=${day}&workload=other`));
    // Batches, actions, gates and archived drains: four queries; the storage front begins some with an empty page.
    expect(totalOperations(operations)).toBeGreaterThanOrEqual(4);
    expect(totalOperations(operations)).toBeLessThanOrEqual(8);
    const { history } = value;
    const tookMs = Date.parse(completedAt) - Date.parse(openedAt);
    expect(history).toMatchObject({
      ...{ from: day, to: day, lookedAt: 1, sheet: '2026', currency: 'USD' },
      days: [{ day, workload: 'other', batches: 1, items: 1, dead: 0, deadlinesMissed: 0, latencyP95Ms: latencyP95 }],
      markers: [{ action: 'pause-queue', by: 'ada', target: QUEUE }, { action: 'put-policy' }],
    });
    const [shown] = history?.days ?? [];
    expect(shown?.itemsPerSecond).toBeCloseTo(1000 / tookMs, 2);
    expect(shown?.deadlineMs).toBe(Date.parse(done.deadlineAt) - Date.parse(done.openedAt));
    expect(shown?.usd).toBeGreaterThan(0);
    await pipeline.finish(open.id);
  });

  it.each(['?from=2026-01-01&to=2026-04-03', '?day=2026-02-30'])('refuses %s', async (query) =>
    expect((await ask(query)).status).toBe(400),
  );
});
