import { describe, expect, test } from 'vitest';
import { fence, type GateDeps, wake } from '../../../../shared/wake/gate/gate.ts';
import { recordDue, recordStartFailure } from '../../../../shared/wake/gate/gate-notes.ts';
import { drainInstanceId, type GateRow } from '../../../../shared/wake/gate/gate-row.ts';
import { changeGate, readGate } from '../../../../shared/wake/gate/gate-store.ts';
import {
  type DrainStatus,
  isDead,
  recordHeartbeat,
  SILENCE_MS,
  showFirstWave,
} from '../../../../shared/wake/gate/heartbeat.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

const QUEUE = 'billing-normal-0';
const NOW = Date.parse('2026-01-01T00:00:00.000Z');

interface Fixture {
  deps: GateDeps;
  started: string[];
  clock: { now: number };
  status: { of: DrainStatus };
  gate: () => Promise<GateRow>;
  set: (fields: Partial<GateRow>) => Promise<unknown>;
}

function fixture(): Fixture {
  const { table } = memoryTable();
  const started: string[] = [];
  const clock = { now: NOW };
  const status: { of: DrainStatus } = { of: 'Running' };
  return {
    started,
    clock,
    status,
    deps: {
      table,
      now: () => clock.now,
      start: async ({ instanceId }) => {
        started.push(instanceId);
      },
      status: async () => status.of,
    },
    gate: async () => (await readGate(table, QUEUE)).row,
    set: (fields) => changeGate(table, QUEUE, () => fields),
  };
}

describe('wake', () => {
  test.each([
    ['that was left empty is assumed to hold only the messages that were put', {}, 1],
    [
      'that was left with invisible messages is measured',
      { depth: 2, parkedUntil: '2026-01-01T00:05:00.000Z' },
      undefined,
    ],
    ['that had messages at its release is measured', { depth: 2 }, undefined],
    ['with a policy is measured: messages may wait for others without a wake', { policyVersion: 1 }, undefined],
    [
      'with an open circuit is measured',
      { paused: { by: 'circuit', reason: '', since: '', probeAt: '2025-12-31T00:00:00.000Z' } },
      undefined,
    ],
  ] as const)('a queue %s', async (_which, fields, put) => {
    const { deps, set } = fixture();
    await set(fields);
    const puts: (number | undefined)[] = [];

    await wake({ ...deps, start: async (_gate, known) => void puts.push(known) }, QUEUE, 1);

    expect(puts).toEqual([put]);
  });

  test('an idle gate is acquired for the next generation, and its drain is started', async () => {
    const { deps, started, gate, set } = fixture();
    await set({ generation: 4, wakes: 3 });

    const result = await wake(deps, QUEUE);

    expect(result).toBe('started');
    expect(started).toEqual(['drain-billing-normal-0-5']);
    expect(await gate()).toMatchObject({
      status: 'draining',
      generation: 5,
      wakes: 0,
      aliveUntil: '',
      acquiredAt: '2026-01-01T00:00:00.000Z',
    });
  });

  test('a drain that never sent a heartbeat is started again with the same id, since its first waker may have died', async () => {
    const { deps, started, gate, status } = fixture();
    await wake(deps, QUEUE);
    status.of = undefined;

    const result = await wake(deps, QUEUE);

    expect(result).toBe('restarted');
    expect(started).toEqual(['drain-billing-normal-0-1', 'drain-billing-normal-0-1']);
    expect(await gate()).toMatchObject({ generation: 1, wakes: 1 });
  });

  test.each<DrainStatus>(['Running', 'Pending'])(
    'a drain that is %s is not started again before its first heartbeat',
    async (of) => {
      const { deps, started, gate, status } = fixture();
      await wake(deps, QUEUE);
      status.of = of;

      expect(await wake(deps, QUEUE)).toBe('counted');
      expect(started).toEqual(['drain-billing-normal-0-1']);
      expect(await gate()).toMatchObject({ generation: 1, wakes: 1 });
    },
  );

  test.each<[string, DrainStatus, number, 'counted' | 'takenOver']>([
    ['runs, and sends heartbeats', 'Running', 0, 'counted'],
    ['is reported as Running ten minutes after its last heartbeat', 'Running', 600_000, 'counted'],
    ['is reported as Running for longer than that', 'Running', 600_001, 'takenOver'],
    ['has failed', 'Failed', 0, 'takenOver'],
    ['was terminated', 'Terminated', 0, 'takenOver'],
    ['has ended without a release', 'Completed', 0, 'takenOver'],
    ['is unknown, but its heartbeat still counts', undefined, 0, 'counted'],
    ['is unknown, and its heartbeat has passed', undefined, 1, 'takenOver'],
  ])('with a drain that %s', async (_what, status, silentMs, expected) => {
    const fix = fixture();
    await fix.set({
      status: 'draining',
      generation: 1,
      instanceId: drainInstanceId(QUEUE, 1),
      acquiredAt: '2025-12-31T23:00:00.000Z',
      aliveUntil: '2026-01-01T00:00:00.000Z',
    });
    fix.status.of = status;
    fix.clock.now = NOW + silentMs;

    const result = await wake(fix.deps, QUEUE);

    expect(result).toBe(expected);
    expect((await fix.gate()).generation).toBe(expected === 'takenOver' ? 2 : 1);
  });

  test('a task with a recent heartbeat keeps its drain alive; one of an older generation does not', async () => {
    const { deps, clock, gate, set } = fixture();
    await set({ status: 'draining', generation: 2, instanceId: 'd', acquiredAt: '2026-01-01T00:00:00.000Z' });
    clock.now = NOW + 20 * 60_000;
    await recordHeartbeat(deps.table, { queue: QUEUE, task: 't0', generation: 1, until: clock.now });
    const withOld = await isDead(deps, await gate());
    await recordHeartbeat(deps.table, { queue: QUEUE, task: 't1', generation: 2, until: clock.now });

    expect(withOld).toBe(true);
    expect(await isDead(deps, await gate())).toBe(false);
  });

  test.each(['', 'yesterday'])(
    'a drain that has held its gate since "%s" is dead unless it sends heartbeats',
    async (acquiredAt) => {
      const { deps, gate, set } = fixture();
      await set({ status: 'draining', generation: 2, instanceId: 'd', acquiredAt });
      await recordHeartbeat(deps.table, { queue: QUEUE, task: 't0', generation: 2, until: NOW });

      expect(await wake(deps, QUEUE)).toBe('counted');
      await recordHeartbeat(deps.table, { queue: QUEUE, task: 't0', generation: 1, until: NOW });
      expect(await isDead(deps, await gate())).toBe(true);
      expect(await wake(deps, QUEUE)).toBe('takenOver');
    },
  );

  test.each([
    ['and counts itself there', 1, 'counted', 1],
    // The row equals the one that both wanted to write, so both start the same instance, which is harmless.
    ['of the same moment, and starts its drain as well', 0, 'started', 0],
  ])('a wake that loses the gate to another %s', async (_what, laterMs, answer, wakes) => {
    const store = memoryTable();
    const { deps } = fixture();
    let rival = true;
    store.before(async (name) => {
      if (name !== 'table.write' || !rival) return;
      rival = false;
      await wake({ ...deps, now: () => NOW + laterMs, table: store.table }, QUEUE);
    });

    const result = await wake({ ...deps, table: store.table }, QUEUE);

    expect(result).toBe(answer);
    expect((await readGate(store.table, QUEUE)).row).toMatchObject({ generation: 1, wakes });
  });

  test.each([
    ['by an operator', { by: 'operator', reason: 'x', since: '' } as const, 'paused'],
    [
      'by the circuit',
      { by: 'circuit', reason: 'x', since: '', probeAt: '2026-01-01T00:00:10.000Z' } as const,
      'paused',
    ],
    // The topic's clock may be one second ahead of the service time: the only wake for the probe must be accepted.
    [
      'by the circuit, with a probe that is almost due',
      { by: 'circuit', reason: 'x', since: '', probeAt: '2026-01-01T00:00:01.500Z' } as const,
      'started',
    ],
  ])('a queue paused %s', async (_how, paused, expected) => {
    const { deps, set, gate } = fixture();
    await set({ paused });

    const result = await wake(deps, QUEUE);

    expect(result).toBe(expected);
    expect((await gate()).status).toBe(expected === 'paused' ? 'idle' : 'draining');
  });
});

describe('due times', () => {
  test('are stored in order of time', async () => {
    const { deps, gate } = fixture();

    for (const second of ['05', '03', '05', '07'])
      await recordDue(deps.table, QUEUE, [`2026-01-01T00:00:${second}.000Z`]);

    expect((await gate()).due.map((at) => at.slice(17, 19))).toEqual(['03', '05', '07']);
  });

  test.each([
    [
      'in the future is kept by the drain that is woken for it',
      '2026-01-01T00:00:05.000Z',
      ['2026-01-01T00:00:05.000Z'],
    ],
    ['of a message that may still be invisible is kept', '2025-12-31T23:59:59.000Z', ['2025-12-31T23:59:59.000Z']],
    ['that has passed is dropped', '2025-12-31T23:59:58.000Z', []],
  ])('a due time %s', async (_what, dueAt, expected) => {
    const { deps, gate } = fixture();
    await recordDue(deps.table, QUEUE, [dueAt]);

    await wake(deps, QUEUE);

    expect((await gate()).due).toEqual(expected);
  });
});

describe('fence', () => {
  test('accepts only the current generation', async () => {
    const { deps, set } = fixture();
    await wake(deps, QUEUE);
    const mine = await fence(deps.table, QUEUE, 1);
    const older = await fence(deps.table, QUEUE, 0);
    await set({ status: 'idle' });

    expect(mine?.row.generation).toBe(1);
    expect(older).toBeUndefined();
    expect(await fence(deps.table, QUEUE, 1)).toBeUndefined();
  });
});

describe('a drain that cannot be started', () => {
  const NO = new Error('no');
  const failureOf = (queue: string, generation: number) => ({ queue, generation });

  test('is recorded with the time of the first failure, also after a take-over', async () => {
    const { deps, clock, gate } = fixture();
    await wake(deps, QUEUE);
    const first = await recordStartFailure(deps, failureOf(QUEUE, 1), NO);
    clock.now = NOW + SILENCE_MS + 1;
    await wake(deps, QUEUE);

    const second = await recordStartFailure(deps, failureOf(QUEUE, 2), new Error('x'.repeat(1_000)));

    expect([first, second]).toEqual([NOW, NOW]);
    expect((await gate()).generation).toBe(2);
    expect((await gate()).startFailure).toEqual({ since: '2026-01-01T00:00:00.000Z', error: 'x'.repeat(500) });
  });

  test.each([
    ['of another generation', 0, {}],
    ['that has started', 1, { aliveUntil: '2026-01-01T00:01:00.000Z' }],
    ['that has ended', 1, { status: 'idle' }],
  ] as const)('is not recorded for one %s', async (_which, generation, fields) => {
    const { deps, set, gate } = fixture();
    await wake(deps, QUEUE);
    await set(fields);

    expect(await recordStartFailure(deps, failureOf(QUEUE, generation), NO)).toBeUndefined();
    expect((await gate()).startFailure).toBeUndefined();
  });

  test('is cleared when its first wave runs', async () => {
    const { deps, gate } = fixture();
    await wake(deps, QUEUE);
    await recordStartFailure(deps, failureOf(QUEUE, 1), NO);
    const held = await fence(deps.table, QUEUE, 1);

    expect(held && (await showFirstWave(deps.table, held, { active: 1, depth: 5, until: NOW }))).toBe(true);
    const { startFailure, depth, depthAt, acquiredAt } = await gate();
    expect([startFailure, depth, depthAt]).toEqual([undefined, 5, acquiredAt]);
  });
});
