import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GateRow } from '../../../../shared/gate/gate-row.ts';
import { changeGate } from '../../../../shared/gate/gate-store.ts';
import { pauseQueue } from '../../../../shared/http/queues/change-queue.ts';
import { listQueues } from '../../../../shared/http/queues/list-queues.ts';
import { type QueueView, queueListSchema, queueViewSchema } from '../../../../shared/http/queues/schemas.ts';
import { type Holder, newQuota, type QuotaRow, writeQuota } from '../../../../shared/limits/quota-row.ts';
import type { Table } from '../../../../shared/storage/table.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry, type Registry } from '../../../../shared/workload/registry.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { requestFor } from '../requests.ts';

const NOW = Date.parse('2026-11-22T14:03:00.000Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();
const common = { version: 1, item: z.unknown(), map: (item: unknown) => item };
const mail = defineWorkload({
  ...{ ...common, name: 'mail', lanes: ['normal', 'bulk'] },
  rateLimit: { calls: 200, perSeconds: 60 },
});
const images = defineWorkload({ ...common, name: 'images', maxConcurrency: 50 });
const plain = defineWorkload({ ...common, name: 'plain' });

const holder = (fields: Partial<Holder>): Holder => ({
  ...{ id: 'p1', queues: ['mail-normal-0'], since: NOW - 20_000, renewsAt: NOW + 3_000, until: NOW + 5_000 },
  wants: { permitsPerSecond: Number.POSITIVE_INFINITY, inFlight: Number.POSITIVE_INFINITY },
  has: { permitsPerSecond: 1, inFlight: Number.POSITIVE_INFINITY },
  ...fields,
});

interface World {
  quota?: Partial<QuotaRow> & { workload: string };
  gates?: Record<string, Partial<GateRow>>;
}

async function tableWith({ quota, gates = {} }: World): Promise<{ table: Table; queries: () => number }> {
  const { table, before } = memoryTable();
  if (quota) await writeQuota(table, { row: { ...newQuota(quota.workload), ...quota }, etag: undefined });
  for (const [queue, change] of Object.entries(gates)) await changeGate(table, queue, () => change);
  let queries = 0;
  before(async (name) => {
    if (name === 'table.list') queries += 1;
  });
  return { table, queries: () => queries };
}

const now = (): number => NOW;
const watching = {
  recentDepth: async () => ({ messages: 0, atMs: NOW }),
  readOpenBatches: async () => ({ batches: [], read: 0 }),
};
const list = async (table: Table, registry: Registry): Promise<QueueView[]> => {
  const deps = { ...watching, gate: { table, now }, registry, pool: undefined };
  const answer = await listQueues(deps, requestFor('queues'));
  return queueListSchema.parse(answer.jsonBody).queues;
};

/** The limits in the answer for a queue of workload "mail". */
async function limitsOf(world: World, queue = 'mail-normal-0'): Promise<QueueView['limits'] | undefined> {
  const { table } = await tableWith(world);
  return (await list(table, createRegistry([mail, images]))).find((each) => each.queue === queue)?.limits;
}

describe('GET queues, for a workload with limits', () => {
  it('shows the options of the workload before any share is claimed', async () => {
    const idle = { lowered: null, heldUntil: null, holders: 0, waiting: null };
    const rateLimit = { calls: 200, perSeconds: 60 };
    expect(await limitsOf({})).toEqual({ ...idle, rateLimit, maxConcurrency: null });
    expect(await limitsOf({}, 'images-normal-0')).toEqual({ ...idle, rateLimit: null, maxConcurrency: 50 });
    expect(await limitsOf({}, 'mail-results')).toBeNull();
  });

  it('shows for each of its queues how far the rate is lowered, since when, and until when nothing starts', async () => {
    const quota = { workload: 'mail', factor: 0.5, changedAt: NOW - 10_000, heldUntil: NOW + 30_000 };
    const expected = { lowered: { factor: 0.5, since: at(-10) }, heldUntil: at(30) };
    expect(await limitsOf({ quota })).toMatchObject(expected);
    expect(await limitsOf({ quota }, 'mail-bulk-0')).toMatchObject(expected);
    expect(await limitsOf({ quota }, 'images-normal-0')).toMatchObject({ lowered: null, heldUntil: null });
  });

  it('omits a wait that is over and a rate that has risen since', async () => {
    const quota = { workload: 'mail', factor: 0.5, changedAt: NOW - 130_000, heldUntil: NOW };
    expect(await limitsOf({ quota })).toMatchObject({ lowered: { factor: 0.7, since: at(-130) }, heldUntil: null });
    expect(await limitsOf({ quota: { ...quota, changedAt: NOW - 300_000 } })).toMatchObject({ lowered: null });
    // The process with a share has not raised it yet.
    const held = { ...quota, holders: [holder({})] };
    expect(await limitsOf({ quota: held })).toMatchObject({ lowered: { factor: 0.5, since: at(-130) } });
  });

  it('omits the rate if there is none', async () => {
    const quota = { workload: 'images', factor: 0.5, changedAt: NOW, heldUntil: NOW + 30_000 };
    expect(await limitsOf({ quota }, 'images-normal-0')).toMatchObject({ lowered: null, heldUntil: null });
  });

  it('counts the processes whose share has not ended', async () => {
    const ended = holder({ id: 'p2', until: NOW });
    const givenUp = holder({ id: 'p3', queues: [], has: { permitsPerSecond: 0, inFlight: 7 } });
    const holders = [holder({}), ended, givenUp, holder({ id: 'p4', queues: ['mail-bulk-0'] })];
    expect(await limitsOf({ quota: { workload: 'mail', holders } })).toMatchObject({ holders: 2 });
  });
});

describe('GET queues, for a queue that is parked without a share', () => {
  const parked = { status: 'idle' as const, parkedUntil: at(4) };
  const place = { queue: 'mail-bulk-0', since: NOW - 9_000, until: NOW + 9_000 };
  const quota = { workload: 'mail', holders: [holder({})], waiting: [place] };
  const bulk = (world: World) => limitsOf(world, 'mail-bulk-0');

  it('shows since when it waits and until when it is parked, and nothing for the other queue', async () => {
    const world = { quota, gates: { 'mail-bulk-0': parked, 'mail-normal-0': parked } };
    expect((await bulk(world))?.waiting).toEqual({ since: at(-9), until: at(4) });
    expect((await limitsOf(world))?.waiting).toBeNull();
  });

  it.each<[string, World]>([
    ['is draining', { quota, gates: { 'mail-bulk-0': { ...parked, status: 'draining' } } }],
    ['is drained', { quota, gates: { 'mail-bulk-0': { status: 'idle', parkedUntil: '' } } }],
    [
      'is served by a process',
      { quota: { ...quota, holders: [holder({ queues: ['mail-bulk-0'] })] }, gates: { 'mail-bulk-0': parked } },
    ],
    ['was forgotten', { quota: { ...quota, waiting: [{ ...place, until: NOW }] }, gates: { 'mail-bulk-0': parked } }],
    ['waits for something else', { quota: { ...quota, waiting: [] }, gates: { 'mail-bulk-0': parked } }],
  ])('shows no wait after the queue %s', async (_case, world) => {
    expect((await bulk(world))?.waiting).toBeNull();
  });
});

describe('the quota rows', () => {
  it('are read by one more query, and only if a workload has limits', async () => {
    const { table, queries } = await tableWith({});
    await list(table, createRegistry([plain]));
    expect(queries()).toBe(1);
    await list(table, createRegistry([plain, mail, images]));
    expect(queries()).toBe(3);
  });

  it('are also used in the answer to a pause', async () => {
    const { table } = await tableWith({ quota: { workload: 'mail', holders: [holder({})] } });
    const request = requestFor('queues/mail-normal-0/pause', {}, '{}');
    Object.assign(request.params, { queue: 'mail-normal-0' });
    const parts = { registry: createRegistry([mail]), depthOf: async () => 0, publish: async () => {} };
    const http = { ...watching, ...parts, gate: { table, now } };
    const answer = await pauseQueue(http, request);
    const view = queueViewSchema.parse(answer.jsonBody);
    expect(view).toMatchObject({ paused: { by: 'operator' }, limits: { holders: 1 } });
  });
});
