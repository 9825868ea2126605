import type { HttpResponseInit } from '@azure/functions';
import functions from '@azure/functions';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { finishWave } from '../../../shared/gate/finish-wave.ts';
import { fence, type GateDeps, wake } from '../../../shared/gate/gate.ts';
import { countMissedWake, recordDue, recordStartFailure } from '../../../shared/gate/gate-notes.ts';
import { GATES_PARTITION, type GateRow, heartbeatRowKey, policyRowKey } from '../../../shared/gate/gate-row.ts';
import { changeGate, readGate, type VersionedGate } from '../../../shared/gate/gate-store.ts';
import { recordHeartbeat, showFirstWave } from '../../../shared/gate/heartbeat.ts';
import { DEFAULT_POLICY } from '../../../shared/gate/policy.ts';
import { writePolicy } from '../../../shared/gate/policy-store.ts';
import { pauseQueue, resumeQueue } from '../../../shared/http/queues/change-queue.ts';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import { readQuota } from '../../../shared/limits/quota-row.ts';
import { createDepths } from '../../../shared/queues/depths.ts';
import { readEntity, type Table } from '../../../shared/storage/table.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import type { QueueAddress, Registry } from '../../../shared/workload/registry.ts';
import { address, finishWaveDeps, NOW, type Published, summary, wave } from '../../unit/drain/drain-fixtures.ts';
import { type Lost, useLossy } from './lossy-storage.ts';

const lossy = useLossy();
const CREATE: Lost = ['table', /^POST .*\/gates$/];
const REPLACE: Lost = ['table', /^PUT .*\/gates\(/];
const TRANSACTION: Lost = ['table', /^POST .*\/\$batch$/];
const DUE = '2026-01-01T00:10:00.000Z';

let queues = 0;
/** A separate gate, and the drains that it starts. */
function gateOf() {
  const queue = `lost-${queues++}`;
  const table: Table = lossy.world.clients.gates;
  const started: number[] = [];
  const deps: GateDeps = {
    table,
    now: () => NOW,
    start: async ({ generation }) => void started.push(generation),
    status: async () => 'Running',
  };
  return {
    queue,
    table,
    deps,
    started,
    set: (fields: Partial<GateRow>) => changeGate(table, queue, () => fields),
    row: async () => (await readGate(table, queue)).row,
    held: async () => (await fence(table, queue, 3)) as VersionedGate,
  };
}
type Gate = ReturnType<typeof gateOf>;
const HELD = { status: 'draining', generation: 3, wakes: 2, acquiredAt: new Date(NOW).toISOString() } as const;

async function finishOnce({ queue, table }: Gate, depth: number): Promise<unknown> {
  const published: Published[] = [];
  const deps = { ...finishWaveDeps(table, published), depthOf: async () => depth };
  const input = { address: { ...address, queue } as QueueAddress, generation: 3, wave: summary({ tasks: 4 }) };
  return { finished: await finishWave(deps, input), published };
}

interface Case {
  write: string;
  lost: Lost;
  before?: Partial<GateRow>;
  act: (gate: Gate) => Promise<unknown>;
  answer: unknown;
  after: Partial<GateRow>;
  started?: number[];
}

const CASES: Case[] = [
  {
    write: 'a wake that creates the gate starts one drain',
    lost: CREATE,
    act: ({ deps, queue }) => wake(deps, queue),
    answer: 'started',
    after: { status: 'draining', generation: 1, wakes: 0 },
    started: [1],
  },
  {
    write: 'a wake that acquires an idle gate acquires it once',
    lost: REPLACE,
    before: { generation: 3 },
    act: ({ deps, queue }) => wake(deps, queue),
    answer: 'started',
    after: { status: 'draining', generation: 4, wakes: 0 },
    started: [4],
  },
  {
    write: 'a wake is counted once',
    lost: REPLACE,
    before: { ...HELD, aliveUntil: new Date(NOW + 60_000).toISOString() },
    act: ({ deps, queue }) => wake(deps, queue),
    answer: 'counted',
    after: { status: 'draining', generation: 3, wakes: 3 },
  },
  {
    write: 'a drain that could not be started is recorded with the time of the first failure',
    lost: REPLACE,
    before: HELD,
    act: ({ deps, queue }) => recordStartFailure(deps, { queue, generation: 3 }, new Error('no')),
    answer: NOW,
    after: { startFailure: { since: new Date(NOW).toISOString(), error: 'no' } },
  },
  {
    write: 'a release publishes that the queue is empty, once',
    lost: REPLACE,
    before: HELD,
    act: (gate) => finishOnce(gate, 0),
    answer: { finished: { ended: 'drained' }, published: [{ type: 'QueueEmpty' }] },
    after: { status: 'idle', total: 4 },
  },
  {
    write: 'a `finish-wave` that continues returns the next wave, and counts the last one once',
    lost: REPLACE,
    before: HELD,
    act: (gate) => finishOnce(gate, 9),
    answer: { finished: { next: wave() }, published: [] },
    after: { status: 'draining', total: 4, depth: 9 },
  },
  {
    write: 'the first wave is shown',
    lost: REPLACE,
    before: HELD,
    act: async ({ table, held }) => showFirstWave(table, await held(), { active: 2, depth: 7, until: NOW }),
    answer: true,
    after: { active: 2, depth: 7 },
  },
  {
    write: 'a due time is recorded once',
    lost: REPLACE,
    before: HELD,
    act: ({ table, queue }) => recordDue(table, queue, [DUE]),
    answer: undefined,
    after: { due: [DUE] },
  },
  {
    write: 'a missed wake is counted once',
    lost: REPLACE,
    before: { generation: 3, missedWakes: 5 },
    act: async ({ table, queue }) => (await countMissedWake({ table, now: () => NOW }, queue))?.missedWakes,
    answer: 6,
    after: { missedWakes: 6 },
  },
  {
    write: 'a queue is paused',
    lost: REPLACE,
    before: { generation: 3 },
    act: (gate) => bodyOf(pauseQueue(operator(gate).http, operator(gate, { reason: 'maintenance' }).request)),
    answer: expect.objectContaining({ status: 'idle', paused: expect.objectContaining({ by: 'operator' }) }),
    after: { paused: { by: 'operator', reason: 'maintenance', since: new Date(NOW).toISOString() } },
  },
  {
    write: 'a queue is resumed, and its drain started once',
    lost: REPLACE,
    before: { generation: 3, paused: { by: 'operator', reason: 'maintenance', since: DUE } },
    act: (gate) => bodyOf(resumeQueue(operator(gate).http, operator(gate, { since: DUE }).request)),
    answer: expect.objectContaining({ status: 'draining', paused: null }),
    after: { status: 'draining', generation: 4, wakes: 0 },
    started: [4],
  },
  {
    write: 'the first policy of a queue is version 1',
    lost: TRANSACTION,
    act: ({ table, queue }) => writePolicy(table, queue, { policy: DEFAULT_POLICY }),
    answer: { version: 1, previous: undefined },
    after: { policyVersion: 1 },
  },
  {
    write: 'a policy that expects the current version is written',
    lost: TRANSACTION,
    before: { policyVersion: 4 },
    act: ({ table, queue }) => writePolicy(table, queue, { policy: DEFAULT_POLICY, expected: 4 }),
    answer: { version: 5, previous: undefined },
    after: { policyVersion: 5 },
  },
];

/** A request of an operator for the gate's queue, with the data that its route needs. */
function operator({ deps, queue }: Gate, content: object = {}) {
  const registry = { queue: () => ({ ...address, queue }) } as unknown as Registry;
  const url = `http://localhost/api/queues/${queue}/pause`;
  const body = { string: JSON.stringify(content) };
  const request = new functions.HttpRequest({ url, method: 'POST', params: { queue }, body });
  const readOpenBatches = async () => ({ batches: [], read: 0 });
  const depths = createDepths(async () => 0, deps.now);
  const parts = { ...depths, registry, pool: undefined, gate: deps, readOpenBatches };
  return { http: { ...parts, publish: async () => {} }, request };
}
const bodyOf = async (answer: Promise<HttpResponseInit>) => (await answer).jsonBody;

describe('a write of the gate whose answer is lost', () => {
  test.each(CASES)('$write', async ({ lost, before, act, answer, after, started = [] }) => {
    const gate = gateOf();
    if (before) await gate.set(before);
    lossy.lose(...lost);

    expect(await act(gate)).toEqual(answer);

    lossy.assertLost();
    expect(await gate.row()).toMatchObject(after);
    expect(gate.started).toEqual(started);
  });

  test('a policy is stored with its version', async () => {
    const { table, queue } = gateOf();
    lossy.lose(...TRANSACTION);

    await writePolicy(table, queue, { policy: DEFAULT_POLICY });

    lossy.assertLost();
    expect(await readEntity(table, GATES_PARTITION, policyRowKey(queue))).toMatchObject({ version: 1 });
  });

  test('a heartbeat is stored', async () => {
    const { table, queue } = gateOf();
    lossy.lose('table', /^PATCH .*\/gates\(/);

    await recordHeartbeat(table, { queue, task: 't0', generation: 3, until: NOW });

    lossy.assertLost();
    expect(await readEntity(table, GATES_PARTITION, heartbeatRowKey(queue, 't0'))).toMatchObject({ generation: 3 });
  });
});

describe('the gate write of another process is not taken for its own', () => {
  test('two wakers at different times: one starts, the other is counted', async () => {
    const { deps, queue, started, row } = gateOf();

    const results = await Promise.all([
      wake(deps, queue),
      wake({ ...deps, now: () => NOW + 1, status: async () => 'Running' }, queue),
    ]);

    expect(results.sort()).toEqual(['counted', 'started']);
    expect(started).toEqual([1]);
    expect(await row()).toMatchObject({ generation: 1, wakes: 1 });
  });

  test('a policy that was put meanwhile is a separate policy', async () => {
    const { table, queue } = gateOf();
    await writePolicy(table, queue, { policy: DEFAULT_POLICY });

    const answers = await Promise.all(
      [5, 6].map((capacity) => writePolicy(table, queue, { policy: { ...DEFAULT_POLICY, capacity }, expected: 1 })),
    );

    expect(answers.filter((answer) => answer?.version === 2)).toHaveLength(1);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
  });
});

describe('a share of a workload’s limits whose claim was answered too late', () => {
  const workload = defineWorkload({
    ...{ name: 'limited', version: 1, item: z.unknown(), map: async () => 1 },
    rateLimit: { calls: 100, perSeconds: 1 },
  });
  const limiterOf = (id: string) => {
    const clockMs = (): number => performance.now();
    return createLimiter({
      table: lossy.world.clients.gates,
      now: () => Date.now(),
      clockMs,
      id,
      callsInFlight: () => 1,
    });
  };
  const holders = async () => (await readQuota(lossy.world.clients.gates, 'limited')).row.holders.map(({ id }) => id);

  test('is claimed once, and released', async () => {
    const limiter = limiterOf('a');
    lossy.lose(...CREATE);
    const entry = await limiter.enter({ queue: 'limited-normal-0', workload });
    if ('retryAt' in entry) throw new Error('There is no share.');
    expect(await holders()).toEqual(['a']);
    lossy.lose(...REPLACE);
    await entry.leave();
    expect(await holders()).toEqual([]);
  });
});
