import { expect, test } from 'vitest';
import { changeGate } from '../../../shared/gate/gate-store.ts';
import { createNeedsWake } from '../../../shared/gate/notify-from.ts';
import { DEFAULT_POLICY, type Policy } from '../../../shared/gate/policy.ts';
import { readStoredPolicies, readStoredPolicy, writePolicy } from '../../../shared/gate/policy-store.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const QUEUE = 'billing-normal-0';

function fixture() {
  const { table } = memoryTable();
  const world = { depth: 0, measured: [] as string[], queries: 0, nowMs: 0, broken: false };
  const counted = {
    ...table,
    listEntities: (...args: Parameters<typeof table.listEntities>) => {
      world.queries += 1;
      if (world.broken) throw new Error('The table does not answer.');
      return table.listEntities(...args);
    },
  };
  const needsWake = createNeedsWake({
    table: counted,
    depthOf: async (queue) => {
      world.measured.push(queue);
      return world.depth;
    },
    nowMs: () => world.nowMs,
  });
  const put = (queue: string, fields: Partial<Policy>): Promise<unknown> =>
    writePolicy(table, queue, { policy: { ...DEFAULT_POLICY, ...fields } });
  return { table, world, needsWake, put };
}

test('a queue without notifyFrom is woken, and its depth is not measured', async () => {
  const { world, needsWake, put } = fixture();
  await put('billing-bulk-0', { notifyFrom: 5 });
  await put(QUEUE, { capacity: 3 });

  expect([await needsWake(QUEUE), await needsWake('mail-normal-0')]).toEqual([true, true]);
  expect(world.measured).toEqual([]);
});

test.each([
  [0, false],
  [4, false],
  [5, true],
  [6, true],
])('with notifyFrom 5 and a depth of %i: woken %s', async (depth, woken) => {
  const { world, needsWake, put } = fixture();
  await put(QUEUE, { notifyFrom: 5 });
  world.depth = depth;

  expect(await needsWake(QUEUE)).toBe(woken);
  expect(world.measured).toEqual([QUEUE]);
});

test('policies are read once per minute, even by uploads at the same time', async () => {
  const { world, needsWake, put } = fixture();
  expect(await Promise.all([needsWake(QUEUE), needsWake(QUEUE)])).toEqual([true, true]);
  await put(QUEUE, { notifyFrom: 5 });
  world.nowMs = 59_999;
  expect([await needsWake(QUEUE), world.queries]).toEqual([true, 1]);
  world.nowMs = 60_000;
  expect([await needsWake(QUEUE), world.queries]).toEqual([false, 2]);
});

test('a queue is woken if the policies cannot be read, and they are read again for the next upload', async () => {
  const { world, needsWake, put } = fixture();
  await put(QUEUE, { notifyFrom: 5 });
  world.broken = true;
  const lines: string[] = [];
  const needed = await withLog(
    { debug() {}, log() {}, info() {}, error() {}, trace() {}, warn: (line: string) => lines.push(line) } as never,
    () => needsWake(QUEUE),
  );
  expect(needed).toBe(true);
  world.broken = false;
  expect(await needsWake(QUEUE)).toBe(false);
});

test('a policy that a newer version has stored does not affect others', async () => {
  const { world, needsWake, put } = fixture();
  await put('billing-bulk-0', { later: 1 } as never);
  await put(QUEUE, { notifyFrom: 5 });

  expect([await needsWake(QUEUE), await needsWake('billing-bulk-0')]).toEqual([false, true]);
  expect(world.queries).toBe(1);
});

test('the query of the policies reads no other row', async () => {
  const { table, put } = fixture();
  await changeGate(table, 'other-normal-0', () => ({ depth: 1 }));
  await put(QUEUE, { notifyFrom: 5 });

  expect(await readStoredPolicies(table)).toEqual(new Map([[QUEUE, { ...DEFAULT_POLICY, notifyFrom: 5 }]]));
  expect(await readStoredPolicy(table, { queue: QUEUE, policyVersion: 0 })).toBeUndefined();
  expect((await readStoredPolicy(table, { queue: QUEUE, policyVersion: 1 }))?.policy.notifyFrom).toBe(5);
});
