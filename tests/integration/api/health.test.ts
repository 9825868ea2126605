import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { totalOperations } from '../../../shared/contract/operations.ts';
import { createHealth, healthSchema } from '../../../shared/http/health/health.ts';
import { openTable } from '../../../shared/storage/table.ts';
import { call } from './call.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

const QUEUE = 'echo-normal-0';
let pipeline: Pipeline;
beforeAll(async () => {
  pipeline = await startPipeline();
});
afterAll(() => pipeline.stop());

const operations = (): number => totalOperations(pipeline.clients.meter.total());

describe('GET health', () => {
  type Parts = Parameters<typeof createHealth>[0];
  type Faults = Partial<ReturnType<Parts['clients']> & ReturnType<Parts['deps']> & Pick<Parts, 'nowMs'>>;
  const health = ({ nowMs = () => 0, depthOf = pipeline.deps.depthOf, ...clients }: Faults = {}) =>
    createHealth({
      registry: pipeline.registry,
      settings: { pool: undefined, instance: 'host-1', build: 'b1' },
      size: { cores: 2, memoryMb: 2048, threads: 3 },
      basis: { backend: 'azureStorage' },
      clients: () => ({ ...pipeline.clients, ...clients }),
      deps: () => ({ depthOf }),
      nowMs,
    });

  it('calls storage only for a deep check', async () => {
    const before = operations();
    const answer = healthSchema.parse((await call(health(), 'health')).json());
    expect(answer).toEqual({
      ...{ status: 'ok', pool: null, instance: 'host-1', build: 'b1', workloads: ['echo', 'other'] },
      ...{ cores: 2, memoryMb: 2048, threads: 3 },
      durableBackend: 'azureStorage',
    });
    expect(operations()).toBe(before);
  });

  it('calls storage at most once per thirty seconds, however often it is called', async () => {
    let nowMs = 0;
    const handler = health({ nowMs: () => nowMs });
    const before = operations();
    const [first] = await Promise.all([call(handler, 'health?deep'), call(handler, 'health?deep')]);
    expect(healthSchema.parse(first?.json()).checks).toEqual({ table: 'ok', queue: 'ok', blob: 'ok' });
    // Three tables, a queue and seven containers.
    expect(operations() - before).toBe(11);
    nowMs = 30_000;
    await call(handler, 'health?deep');
    expect(operations() - before).toBe(22);
  });

  it('answers 503 if storage does not answer', async () => {
    const answer = await call(health({ depthOf: () => Promise.reject(new Error('down')) }), 'health?deep');
    expect(answer.status).toBe(503);
    expect(healthSchema.parse(answer.json())).toMatchObject({
      status: 'failing',
      checks: { queue: 'failed', table: 'ok' },
      problems: [{ resource: `queue ${QUEUE}`, problem: 'does not answer' }],
    });
  });

  it('lists a missing table and container, and a queue that denies access', async () => {
    const { clients } = pipeline;
    const missing = TableClient.fromConnectionString(pipeline.settings.storage.connectionString ?? '', 'absent', {
      allowInsecureConnection: true,
    });
    const denied = Object.assign(new Error('no'), { statusCode: 403, code: 'AuthorizationPermissionMismatch' });
    const answer = await call(
      health({
        gates: openTable(missing),
        container: (name) => clients.container(name === 'reports' ? 'absent' : name),
        depthOf: () => Promise.reject(denied),
      }),
      'health?deep',
    );
    const { checks, problems } = healthSchema.parse(answer.json());
    expect(checks).toEqual({ table: 'failed', queue: 'failed', blob: 'failed' });
    expect(new Map(problems?.map(({ resource, problem }) => [resource, problem]))).toEqual(
      new Map([
        ['table absent', 'does not exist'],
        ['container reports', 'does not exist'],
        [`queue ${QUEUE}`, 'access denied: 403 AuthorizationPermissionMismatch'],
      ]),
    );
  });
});
