import { expect, test } from 'vitest';
import { type GateRow, newGate } from '../../../../shared/gate/gate-row.ts';
import { changeGate, readGate } from '../../../../shared/gate/gate-store.ts';
import { createPlanner, isLate } from '../../../../shared/gate/planning/planner.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../shared/gate/policy.ts';
import { writePolicy } from '../../../../shared/gate/policy-store.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { address, NOW, registry } from '../../drain/drain-fixtures.ts';

const OPTIONS = {
  sliceSeconds: 30,
  visibilitySeconds: 300,
  capacity: 125,
  pool: undefined,
  registry,
  concurrentActivities: 5,
  now: () => NOW,
};
const planner = createPlanner({ ...OPTIONS, table: memoryTable().table });
/** The gate of a drain whose first wave has been measured. */
const gate: GateRow = {
  ...newGate('billing-normal-0'),
  aliveUntil: '2026-01-01T00:01:00.000Z',
  secondsPerReference: 10,
  waveTasks: 20,
  instances: 2,
  cpu: 0.5,
};
const tasks = async (fields: Partial<GateRow>): Promise<number> =>
  (await planner(address, { ...gate, ...fields }, 1_000)).tasks;

test('instances with spare capacity do not limit the wave', async () => {
  expect(await tasks({})).toBe(100);
});

test.each<[string, Partial<GateRow>]>([
  ['cores', { cpu: 0.85 }],
  ['main thread', { eventLoop: 0.85 }],
])('an instance whose %s are busy limits the wave to two tasks per place', async (_what, fields) => {
  expect(await tasks(fields)).toBe(20);
});

test('with more instances the limit is higher, so that they are used and others are added', async () => {
  expect(await tasks({ cpu: 1, instances: 4 })).toBe(40);
});

test('the instances of an earlier drain do not limit the wave, since they may be gone', async () => {
  expect(await tasks({ cpu: 1, aliveUntil: '' })).toBe(100);
});

test('late work is limited, too, since tasks that wait for a place do not make it faster', async () => {
  expect(await tasks({ cpu: 1, oldestAt: '2025-12-30T00:00:00.000Z' })).toBe(20);
});

// An hour of work for one place, accepted ten minutes ago.
test.each([
  ['tasks that run at the same time finish in time', { waveTasks: 20, instances: 4 }, false],
  ['tasks that wait for a place do not help', { waveTasks: 20, instances: 1 }, true],
  ['one is too slow', { waveTasks: 1, instances: 1 }, true],
  ['all tasks count while no instance was measured', { waveTasks: 20, instances: 0 }, false],
  ['work of unknown age is not late', { waveTasks: 1, instances: 1, oldestAt: '' }, false],
])('lateness: %s', (_what, fields, late) => {
  const known = { oldestAt: '2025-12-31T23:50:00.000Z', secondsPerReference: 3.6, ...fields };
  const options = { depth: 1_000, deadlineSeconds: 900, concurrentActivities: 5, nowMs: NOW };

  expect(isLate(known, options)).toBe(late);
});

/** Plans a wave for 400 references with the stored policy. */
async function plan(fields: Partial<Policy>, measured: Partial<GateRow> = {}) {
  const { table } = memoryTable();
  const policy = { ...DEFAULT_POLICY, ...fields };
  await writePolicy(table, address.queue, { policy });
  await changeGate(table, address.queue, () => ({ secondsPerReference: 0.01, waveTasks: 1, ...measured }));
  return createPlanner({ ...OPTIONS, table })(address, (await readGate(table, address.queue)).row, 400);
}

test('a wave follows the policy that is stored when it is planned', async () => {
  expect(await plan({ receiveSize: 8, receiveIntervalMs: 2_000 })).toMatchObject({
    ...{ tasks: 10, quota: 40, receive: 8, receiveIntervalMs: 2_000 },
  });
  expect(await plan({})).toMatchObject({ tasks: 1, quota: 400, receive: 32 });
});

test('a queue that its interval makes late gets its whole capacity', async () => {
  const deadlineMs = address.workload.deadlineSeconds * 1000;
  // 400 references of 10 ms are 4 s for one task; with receives of one every 2 s they are 800 s.
  const oldestAt = new Date(NOW + 60_000 - deadlineMs).toISOString();

  expect((await plan({}, { oldestAt })).tasks).toBe(1);
  expect((await plan({ receiveSize: 1, receiveIntervalMs: 2_000, capacity: 90 }, { oldestAt })).tasks).toBe(90);
});
