import { describe, expect, test } from 'vitest';
import { fence, wake } from '../../../shared/gate/gate.ts';
import { drainInstanceId } from '../../../shared/gate/gate-row.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import { type DrainStatus, isDead, recordHeartbeat } from '../../../shared/gate/heartbeat.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { fixture, NOW, QUEUE } from './gate-fixtures.ts';

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

  test('a task that works for longer than its wave keeps its drain alive, also if the runtime does not know the drain', async () => {
    const { deps, clock, gate, set, status } = fixture();
    const row = { acquiredAt: '2026-01-01T00:00:00.000Z', aliveUntil: '2026-01-01T00:02:00.000Z' };
    await set({ status: 'draining', generation: 2, instanceId: 'd', ...row });
    status.of = undefined;
    clock.now = NOW + 5 * 60_000;
    const silent = await isDead(deps, await gate());
    await recordHeartbeat(deps.table, { queue: QUEUE, task: 't1', generation: 2, until: clock.now + 75_000 });

    expect([silent, await isDead(deps, await gate())]).toEqual([true, false]);
  });

  test.each([
    ['has sent a heartbeat meanwhile', { aliveUntil: '2026-01-01T01:00:00.000Z' }, 'Running'],
    ['has released the gate meanwhile', { status: 'idle' }, 'Completed'],
  ] as const)('a drain that seemed dead is not replaced if it %s', async (_what, meanwhile, of) => {
    const { deps, gate, set, clock } = fixture();
    await set({
      ...{ status: 'draining', generation: 1, instanceId: drainInstanceId(QUEUE, 1) },
      aliveUntil: '2026-01-01T00:00:00.000Z',
    });
    clock.now = NOW + 11 * 60_000;
    let isFirst = true;
    const status = async (): Promise<DrainStatus> => {
      if (isFirst) await set(meanwhile);
      isFirst = false;
      return of;
    };

    expect(await wake({ ...deps, status }, QUEUE)).toBe('counted');
    expect(await gate()).toMatchObject({ generation: 1, ...meanwhile });
  });

  test('a drain without a heartbeat that the runtime does not know yet is not dead: it may be about to start', async () => {
    const { deps, gate, set, status, clock } = fixture();
    await set({ status: 'draining', generation: 1, instanceId: 'd', acquiredAt: '2026-01-01T00:00:00.000Z' });
    status.of = undefined;
    clock.now = NOW + 60_000;

    expect(await isDead(deps, await gate())).toBe(false);
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
