import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GateDeps, wake } from '../../../../shared/gate/gate.ts';
import { changeGate, readGate } from '../../../../shared/gate/gate-store.ts';
import { recordHeartbeat } from '../../../../shared/gate/heartbeat.ts';
import { problemSchema } from '../../../../shared/http/edge/schemas.ts';
import { drainNow, pauseQueue, resumeQueue } from '../../../../shared/http/queues/change-queue.ts';
import { listQueues } from '../../../../shared/http/queues/list-queues.ts';
import { queueListSchema, queueViewSchema } from '../../../../shared/http/queues/schemas.ts';
import { createDepths } from '../../../../shared/queues/depths.ts';
import { measure } from '../../../helpers/measure.ts';
import { type Answer, call } from '../call.ts';
import { type Pipeline, startPipeline } from '../pipeline.ts';

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
  it('shows every queue of the pool, including those never woken, with two operations after a measurement', async () => {
    await recordHeartbeat(gate.table, { queue: QUEUE, task: 't1', generation: 1, until: Date.now() });
    const { meter } = pipeline.clients;
    const { value: shown, operations: first } = await measure(meter, () => queues());
    const { operations: second } = await measure(meter, () => queues());
    // The storage service begins some queries with an empty page, which counts as one more.
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

  it('shows the data of the gate, and measures on request', async () => {
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

const resume = async (queue: string, pool?: string): Promise<Answer> => {
  const since = (await readGate(gate.table, queue)).row.paused?.since ?? 'none';
  return post('resume', queue, JSON.stringify({ since }), pool);
};

const failed = { since: '2026-11-01T10:00:00.000Z', error: 'The runtime does not answer.' };

it('GET queues shows a drain that could not be started', async () => {
  await changeGate(gate.table, 'echo-bulk-0', () => ({ startFailure: failed }));
  expect((await queues()).find(({ queue }) => queue === 'echo-bulk-0')?.startFailure).toEqual(failed);
  await changeGate(gate.table, 'echo-bulk-0', () => ({ startFailure: undefined }));
});

describe('GET queues, for a paused queue', () => {
  const lane = async (query = '') => (await queues(query)).find(({ queue }) => queue === 'echo-bulk-0');

  it('measures it, because no drain does, and counts its open batches', async () => {
    await post('pause', 'echo-bulk-0', '{"reason":"ledger is down"}');
    const { id } = await pipeline.submit([{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }], { lane: 'bulk' });
    await pipeline.submit([{ id: 'e' }], { lane: 'bulk' });
    expect(await lane('?fresh')).toMatchObject({ depth: 3, backlog: { batches: 2, items: 5 } });
    expect(Date.parse((await lane())?.depthAt ?? '')).toBeGreaterThan(gate.now() - 10_000);
    await pipeline.finish(id);
    expect((await lane('?fresh'))?.backlog).toEqual({ batches: 1, items: 1 });
  });

  it('includes waiting work in the answers to pause and resume', async () => {
    const resumed = queueViewSchema.parse((await resume('echo-bulk-0')).json());
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
    const resumed = queueViewSchema.parse((await resume(QUEUE)).json());
    expect(resumed).toMatchObject({ paused: null, status: 'draining', generation: 1, depth: 3 });
    expect(started).toEqual([QUEUE]);
  });

  const pauseOf = async (answer: Promise<Answer>) => queueViewSchema.parse((await answer).json()).paused;

  it('keeps a pause that is repeated, and requires no reason', async () => {
    const first = await pauseOf(post('pause', 'echo-bulk-0'));
    expect(await pauseOf(post('pause', 'echo-bulk-0'))).toEqual(first);
    expect(first).toMatchObject({ by: 'operator', reason: 'paused by an operator' });
  });

  it('ends only the pause that the request names', async () => {
    const seen = await pauseOf(post('pause', 'echo-bulk-0', '{"reason":"deployment"}'));
    const present = await pauseOf(post('pause', 'echo-bulk-0', '{"reason":"ledger is down"}'));
    const refused = await post('resume', 'echo-bulk-0', JSON.stringify({ since: seen?.since }));
    expect(problemSchema.parse(refused.json())).toMatchObject({
      status: 409,
      detail: `Queue "echo-bulk-0" has another pause now: since ${present?.since} by operator: ledger is down. The request ends the pause since ${seen?.since}.`,
    });
    expect(started).toEqual([]);
    expect(problemSchema.parse((await post('resume', 'echo-bulk-0')).json())).toMatchObject({
      status: 400,
      detail: expect.stringContaining('expected the time in paused.since of the queue or batch'),
    });
    expect(await pauseOf(resume('echo-bulk-0'))).toBeNull();
    // A repeat, after a lost response.
    expect((await post('resume', 'echo-bulk-0', JSON.stringify({ since: present?.since }))).status).toBe(200);
    await changeGate(gate.table, 'echo-bulk-0', () => ({ status: 'idle' }));
  });

  it('ends a pause by itself after its time: the next wake starts a drain', async () => {
    await changeGate(gate.table, QUEUE, () => ({ status: 'idle' }));
    const paused = await pauseOf(post('pause', QUEUE, '{"forSeconds":600}'));
    expect(Date.parse(paused?.until ?? '') - Date.parse(paused?.since ?? '')).toBe(600_000);
    expect(await wake(gate, QUEUE)).toBe('paused');

    await changeGate(gate.table, QUEUE, ({ paused }) => ({
      paused: paused && { ...paused, until: new Date(gate.now() + 1_000).toISOString() },
    }));
    expect((await queues()).find(({ queue }) => queue === QUEUE)?.paused).toBeNull();
    expect(await wake(gate, QUEUE)).toBe('started');
    const { row } = await readGate(gate.table, QUEUE);
    expect([row.status, row.paused]).toEqual(['draining', undefined]);
  });

  it('does not start a drain that the app of another pool would have to run', async () => {
    const answer = await resume(QUEUE, 'heavy');
    expect([answer.status, started]).toEqual([409, []]);
  });

  it.each([
    ['unknown-queue', undefined, 404],
    [QUEUE, '{', 400],
    [QUEUE, '{"because":1}', 400],
    [QUEUE, '{"forSeconds":0}', 400],
    [QUEUE, '{"forSeconds":604801}', 400],
    [QUEUE, `{"reason":"${'x'.repeat(70_000)}"}`, 413],
  ])('refuses an invalid body (%#)', async (queue, body, status) => {
    const answer = await post('pause', queue, body);
    expect([answer.status, problemSchema.parse(answer.json()).status]).toEqual([status, status]);
  });
});

describe('POST queues/{queue}/drain', () => {
  const drain = async (queue: string, { pool, depth = 0 }: { pool?: string; depth?: number } = {}) => {
    const measured: string[] = [];
    const measure = async (name: string): Promise<number> => {
      measured.push(name);
      return depth;
    };
    const deps = { ...pipeline.deps, pool, gate, ...createDepths(measure, gate.now) };
    const answer = await call((request) => drainNow(deps, request), `queues/${queue}/drain`, {
      method: 'POST',
      params: { queue },
    });
    return { answer, measured };
  };
  const IDLE = 'other-normal-0';

  it('starts a drain of a queue with messages, and none for an empty queue', async () => {
    const empty = await drain(IDLE);
    expect(queueViewSchema.parse(empty.answer.json())).toMatchObject({ status: 'idle', depth: 0, generation: 0 });
    expect([empty.answer.status, started]).toEqual([200, []]);
    const { answer } = await drain(IDLE, { depth: 7 });
    expect(queueViewSchema.parse(answer.json())).toMatchObject({ status: 'draining', depth: 7, generation: 1 });
    expect([answer.status, started]).toEqual([200, [IDLE]]);
  });

  it('counts as a wake for a running drain, which then checks the queue again', async () => {
    const { wakes } = (await readGate(gate.table, IDLE)).row;
    const view = queueViewSchema.parse((await drain(IDLE)).answer.json());
    expect([view.wakes, started]).toEqual([wakes + 1, []]);
  });

  it('is refused for a queue that an operator has paused, with the reason, and for a queue of another pool', async () => {
    await post('pause', 'echo-bulk-0', '{"reason":"ledger is down"}');
    const paused = await drain('echo-bulk-0', { depth: 7 });
    expect(problemSchema.parse(paused.answer.json())).toMatchObject({
      status: 409,
      detail: expect.stringContaining('(ledger is down). Resume it'),
    });
    const other = await drain(IDLE, { pool: 'heavy', depth: 7 });
    expect([other.answer.status, paused.measured, other.measured, started]).toEqual([409, [], [], []]);
    expect((await drain('unknown-queue')).answer.status).toBe(404);
  });

  it('waits like a wake event for the probe of a queue that the circuit has paused', async () => {
    const probeAt = new Date(gate.now() + 60_000).toISOString();
    const paused = { by: 'circuit', reason: 'failures', since: probeAt, probeAt } as const;
    await changeGate(gate.table, 'echo-bulk-0', () => ({ paused }));
    const { answer } = await drain('echo-bulk-0', { depth: 7 });
    expect([answer.status, queueViewSchema.parse(answer.json()).paused?.by, started]).toEqual([200, 'circuit', []]);
    await changeGate(gate.table, 'echo-bulk-0', () => ({ paused: undefined }));
  });
});
