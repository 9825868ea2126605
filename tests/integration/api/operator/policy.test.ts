import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GateDeps } from '../../../../shared/gate/gate.ts';
import { readGate } from '../../../../shared/gate/gate-store.ts';
import { readPolicy } from '../../../../shared/gate/planning/planner.ts';
import { DEFAULT_POLICY } from '../../../../shared/gate/policy.ts';
import { problemSchema } from '../../../../shared/http/edge/schemas.ts';
import { getPolicy, putPolicy } from '../../../../shared/http/queues/policy.ts';
import { policyViewSchema } from '../../../../shared/http/queues/schemas.ts';
import { type Answer, call } from '../call.ts';
import { type Pipeline, startPipeline } from '../pipeline.ts';

let pipeline: Pipeline;
let gate: Pick<GateDeps, 'table' | 'now'>;

beforeAll(async () => {
  pipeline = await startPipeline();
  gate = pipeline.deps.gate;
});
afterAll(() => pipeline.stop());

describe('queues/{queue}/policy', () => {
  const policy = (
    method: 'GET' | 'PUT',
    body?: unknown,
    headers: Record<string, string> = {},
    queue = 'other-normal-0',
  ): Promise<Answer> => {
    const deps = { gate, registry: pipeline.registry, capacity: 125 };
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

  it('is the default until one is stored, which drains then plan with', async () => {
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
    expect(await readPolicy({ table: gate.table, capacity: 125 }, row)).toEqual(changed);
    expect(policyViewSchema.parse((await policy('GET')).json())).toMatchObject({ version: 1, policy: changed });
  });

  it('keeps the previous policy, so that storing it undoes the change, including the first one', async () => {
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

  it('may limit receives and wake events, and a policy without these fields removes the limits', async () => {
    const bounded = { ...changed, receiveSize: 8, receiveIntervalMs: 2_000, notifyFrom: 500 };
    expect((await policy('PUT', bounded)).status).toBe(200);
    expect(policyViewSchema.parse((await policy('GET')).json()).policy).toEqual(bounded);
    await policy('PUT', changed);
    expect(policyViewSchema.parse((await policy('GET')).json()).policy).toEqual(changed);
  });

  it('may limit receives of a result queue, but not its wake events', async () => {
    const put = (fields: object) => policy('PUT', { ...changed, ...fields }, {}, 'other-results');
    expect((await put({ receiveSize: 8, receiveIntervalMs: 2_000 })).status).toBe(200);
    const refused = problemSchema.parse((await put({ notifyFrom: 500 })).json());
    expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('notifyFrom') });
  });

  it('is not replaced by a client that has read another version', async () => {
    await policy('PUT', changed);
    const late = await policy('PUT', DEFAULT_POLICY, { 'if-match': '"0"' });
    expect(late.status).toBe(412);
    expect(policyViewSchema.parse((await policy('GET')).json()).policy).toEqual(changed);
  });

  it('counts each of many concurrent changes', async () => {
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
  ])('refuses an invalid policy (%#)', async (body, headers) => {
    const answer = await policy('PUT', body, headers);
    expect([answer.status, problemSchema.parse(answer.json()).type]).toEqual([
      400,
      expect.stringMatching(/invalid-parameter$/),
    ]);
  });
});
