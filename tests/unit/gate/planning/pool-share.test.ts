import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type GateRow, newGate, toGateEntity } from '../../../../shared/gate/gate-row.ts';
import { readGates } from '../../../../shared/gate/gate-store.ts';
import { createPlanner } from '../../../../shared/gate/planning/planner.ts';
import { plannedTasks, shareOf } from '../../../../shared/gate/planning/pool-share.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../../shared/workload/registry.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { NOW } from '../../drain/drain-fixtures.ts';

const wave = (tasks: number, wanted = tasks) => ({ tasks, wanted });

test('one of five activities is left for collecting', () => {
  expect([5, 200, 1].map(plannedTasks)).toEqual([4, 160, 1]);
});

test.each([
  ['a lone queue gets all places', [], 100],
  ['what others use is not free', [wave(10), wave(5)], 85],
  ['a queue gets no more than is free', [wave(100)], 1],
  ['a queue above its fair share shrinks to it', [wave(1, 100)], 50],
  ['what a queue cannot use is divided among the others', [wave(1, 10), wave(1, 100)], 45],
  ['a wave that is not planned yet counts as one that could use everything', [wave(0, Number.POSITIVE_INFINITY)], 50],
  ['each queue has one task', [wave(60), wave(60)], 1],
])('%s', (_what, others, tasks) => {
  expect(shareOf(100, others)).toBe(tasks);
});

describe('the planner', () => {
  const workloads = ['a', 'b', 'c'].map((name) =>
    defineWorkload({
      ...{ name, version: 1, item: z.unknown(), map: (item: unknown) => item, lanes: ['normal', 'bulk'] },
      pool: name === 'c' ? 'other' : 'default',
    }),
  );
  const registry = createRegistry(workloads);
  const started = new Date(NOW - 10_000).toISOString();

  /** A pool of 25 instances: 125 activities, of which 100 are planned. */
  function world(pool?: string) {
    const { table, before } = memoryTable();
    const reads: string[] = [];
    before(async (name) => {
      reads.push(name);
    });
    const planner = createPlanner({
      ...{ table, registry, pool, sliceSeconds: 30, visibilitySeconds: 300 },
      ...{ capacity: 125, concurrentActivities: 5, now: () => NOW },
    });
    const gateOf = async (queue: string) => (await readGates(table)).get(queue) ?? newGate(queue);
    const hold = async (queue: string, fields: Partial<GateRow> = {}) => {
      const gate = {
        ...(await gateOf(queue)),
        status: 'draining',
        acquiredAt: started,
        aliveUntil: started,
        ...fields,
      };
      await table.upsertEntity(toGateEntity(gate as GateRow), 'Replace');
    };
    return {
      hold,
      reads,
      plan: async (queue: string, depth = 1_000) => {
        const gate = { ...(await gateOf(queue)), secondsPerReference: 10 };
        reads.length = 0;
        return planner(registry.queue(queue) as QueueAddress, gate, depth);
      },
      /** Plans the next wave of a queue, as the end of a wave does. */
      async next(queue: string, depth = 1_000): Promise<number> {
        const { tasks, wanted = tasks } = await this.plan(queue, depth);
        await hold(queue, { active: tasks, wanted });
        return tasks;
      },
    };
  }

  test('two busy queues together get four of five activities, in equal parts, after each has ended a wave', async () => {
    const pool = world();
    expect(await pool.next('a-normal-0')).toBe(100);
    expect(await pool.next('b-normal-0')).toBe(1);
    expect(await pool.next('a-normal-0')).toBe(50);
    expect(await pool.next('b-normal-0')).toBe(50);
    expect(await pool.next('a-normal-0')).toBe(50);
  });

  test('a busy queue gets what a small one does not need, and records what limited it', async () => {
    const pool = world();
    await pool.next('b-normal-0', 3);
    expect(await pool.plan('a-normal-0')).toMatchObject({ tasks: 97, wanted: 100, bound: 'pool' });
  });

  test('bulk lanes leave the headroom of the pool free, together', async () => {
    const pool = world();
    expect(await pool.next('a-bulk-0')).toBe(75);
    await pool.next('b-bulk-0');
    expect(await pool.next('a-bulk-0')).toBe(37);
    expect(await pool.next('b-bulk-0')).toBe(37);
    expect(await pool.next('a-normal-0')).toBe(26);
  });

  test.each([
    ['an idle gate', 'b-normal-0', { status: 'idle' as const }],
    ['a collector', 'b-results', {}],
    ['a drain that is long silent', 'b-normal-0', { aliveUntil: new Date(NOW - 660_000).toISOString() }],
    ['a queue of another pool', 'c-normal-0', {}],
    ['a queue that is not deployed', 'd-normal-0', {}],
  ])('%s uses no place', async (_what, queue, fields) => {
    const pool = world('default');
    await pool.hold(queue, { active: 40, wanted: 40, ...fields });
    expect((await pool.plan('a-normal-0')).tasks).toBe(100);
  });

  test('an app of all pools counts all queues', async () => {
    const pool = world();
    await pool.hold('c-normal-0', { active: 40, wanted: 40 });
    expect((await pool.plan('a-normal-0')).tasks).toBe(60);
  });

  test('a wave of one task, as of a small batch or of results, reads nothing; any other reads the gates once', async () => {
    const pool = world();
    const readsOf = async (queue: string, depth: number) => {
      await pool.plan(queue, depth);
      return pool.reads;
    };
    expect(await readsOf('a-normal-0', 1)).toEqual([]);
    expect(await readsOf('a-results', 100)).toEqual([]);
    expect(await readsOf('a-normal-0', 100)).toEqual(['table.list']);
  });
});
