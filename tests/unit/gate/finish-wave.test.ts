import { describe, expect, test } from 'vitest';
import { NOTHING_PUT } from '../../../shared/events/publish.ts';
import { type FinishWaveDeps, finishWave } from '../../../shared/gate/finish-wave.ts';
import type { GateRow } from '../../../shared/gate/gate-row.ts';
import { changeGate, readGate } from '../../../shared/gate/gate-store.ts';
import { readWave } from '../../../shared/gate/wave-record.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { address, finishWaveDeps, NOW, type Published, summary, wave } from '../drain/drain-fixtures.ts';

const QUEUE = 'billing-normal-0';

async function held(fields: Partial<GateRow> = {}, over: Partial<FinishWaveDeps> = {}) {
  const store = memoryTable();
  const published: Published[] = [];
  await changeGate(store.table, QUEUE, () => ({ status: 'draining', generation: 3, wakes: 2, ...fields }));
  return {
    published,
    store,
    deps: { ...finishWaveDeps(store.table, published), ...over },
    gate: async () => (await readGate(store.table, QUEUE)).row,
  };
}

describe('an empty queue', () => {
  test('is released, and the event QueueEmpty is published', async () => {
    const { deps, gate, published } = await held({ total: 5, due: ['2026-01-01T00:00:01.000Z'] });

    const step = await finishWave(deps, { address, generation: 3, wave: summary({ tasks: 2 }) });

    expect(step).toEqual({ ended: 'drained' });
    const depthAt = '2026-01-01T00:00:00.000Z';
    expect(await gate()).toMatchObject({ status: 'idle', depth: 0, depthAt, active: 0, total: 7, due: [] });
    expect(published).toEqual([{ type: 'QueueEmpty' }]);
  });

  test('publishes how often it was found empty in a row, with the generation of the drain', async () => {
    const details: unknown[] = [];
    const { deps } = await held(
      { idleCount: 2, total: 5 },
      { publish: async (_address, event) => void details.push('details' in event ? event.details : undefined) },
    );

    await finishWave(deps, { address, generation: 3, wave: summary({ tasks: 2, received: 0, done: 0 }) });

    expect(details).toMatchObject([{ generation: 3, idleCount: 3 }]);
  });

  test('forgets the age of its work, so that the next drain does not consider its own work late', async () => {
    const { deps, gate } = await held();

    await finishWave(deps, { address, generation: 3, wave: summary({ oldestAt: '2025-12-31T23:59:59.000Z' }) });

    expect(await gate()).toMatchObject({ oldestAt: '', latencyMs: 1_000 });
  });

  test('is released even if the event cannot be published', async () => {
    const { deps, gate } = await held({}, { publish: () => Promise.reject(new Error('away')) });

    expect(await finishWave(deps, { address, generation: 3, wave: summary() })).toEqual({ ended: 'drained' });
    expect((await gate()).status).toBe('idle');
  });

  test('is measured again if a wake came in the meantime', async () => {
    const depths = [0, 4];
    const { deps, gate, store } = await held({});
    const depthOf = async (): Promise<number> => {
      if (depths.length === 2) await changeGate(store.table, QUEUE, (row) => ({ wakes: row.wakes + 1 }));
      return depths.shift() ?? 0;
    };

    const step = await finishWave({ ...deps, depthOf }, { address, generation: 3, wave: summary() });

    expect(step).toEqual({ next: wave() });
    expect(await gate()).toMatchObject({ status: 'draining', wakes: 3, depth: 4 });
  });
});

describe('a queue with work', () => {
  test('gets its next wave, and a heartbeat that covers it', async () => {
    const next = wave({ tasks: 5 });
    const { deps, gate } = await held({}, { depthOf: async () => 9, plan: async () => next });

    const step = await finishWave(deps, { address, generation: 3, wave: summary() });

    // 30 s x (ceil(5 / 2) + 2) + 60 s
    expect(step).toEqual({ next });
    expect(await gate()).toMatchObject({ active: 5, depth: 9, aliveUntil: '2026-01-01T00:03:30.000Z' });
  });

  test('is not changed by a drain that no longer holds its gate', async () => {
    const { deps, gate, published } = await held({ generation: 4 }, { depthOf: async () => 9 });

    expect(await finishWave(deps, { address, generation: 3, wave: summary() })).toEqual({ ended: 'fenced' });
    expect(await gate()).toMatchObject({ status: 'draining', generation: 4, wakes: 2 });
    expect(published).toEqual([]);
  });
});

describe('the waves of a queue', () => {
  const next = wave({ tasks: 5 });
  const on = { depthOf: async () => 9, plan: async () => next };
  const ended = summary({ tasks: 3, seconds: 12.345, done: 7, items: 700, throttled: 2 });
  const planned = { depth: 40, bound: 'saturation', late: true } as const;

  test('are recorded with what limited them, by the write that ends them', async () => {
    const { deps, gate, store } = await held({ secondsPerReference: 0.25 }, on);
    let writes = 0;
    store.before(async (name) => {
      if (name === 'table.write') writes += 1;
    });

    await finishWave(deps, { address, generation: 3, wave: ended, planned });

    expect((await gate()).waves.map(readWave)).toEqual([
      {
        ...{ atMs: NOW, seconds: 12.3, depth: 40, tasks: 3, bound: 'saturation', late: true },
        ...{ done: 7, items: 700, throttled: 2, secondsPerReference: 0.25 },
      },
    ]);
    expect(writes).toBe(1);
  });

  test('are also recorded when the queue is released, and kept after the drain', async () => {
    const { deps, gate } = await held();

    await finishWave(deps, { address, generation: 3, wave: summary(), planned: { depth: 1, bound: 'depth' } });

    expect(await gate()).toMatchObject({ status: 'idle', waves: [[NOW, 1, 1, 1, 'depth', false, 1, 10, 0, 0.1]] });
  });

  test('are not recorded without their plan, or if the drain has failed', async () => {
    const { deps, gate } = await held({}, on);

    await finishWave(deps, { address, generation: 3, wave: ended });
    await finishWave(deps, { address, generation: 3, wave: summary({ tasks: 0 }), abandon: true });

    expect((await gate()).waves).toEqual([]);
  });
});

describe('a queue whose messages are all invisible is parked', () => {
  const empty = summary({ received: 0, done: 0 });

  test.each<[string, Partial<GateRow>, Parameters<typeof summary>[0], string]>([
    ['for one visibility timeout if no due time is known', {}, {}, '2026-01-01T00:05:00.000Z'],
    // Two seconds because delays are rounded up, and because of the topic's own clock.
    ['until the due time and a margin', { due: ['2026-01-01T00:01:00.000Z'] }, {}, '2026-01-01T00:01:02.000Z'],
    ['no longer than one visibility timeout', { due: ['2026-01-01T09:00:00.000Z'] }, {}, '2026-01-01T00:05:00.000Z'],
    ['not until a time in the past', { due: ['2025-12-31T00:00:00.000Z'] }, {}, '2026-01-01T00:00:00.000Z'],
    ['for a short time if a service had failed', {}, { faulted: true }, '2026-01-01T00:00:15.000Z'],
  ])('%s', async (_what, fields, wave, at) => {
    const { deps, gate, published } = await held(fields, { depthOf: async () => 1 });

    const step = await finishWave(deps, { address, generation: 3, wave: { ...empty, ...wave } });

    expect(step).toEqual({ ended: 'parked' });
    expect(published).toEqual([{ type: 'QueueWorkDetected', ...NOTHING_PUT, at }]);
    expect(await gate()).toMatchObject({ status: 'idle', depth: 1 });
  });

  test('and keeps only the due times after its wake', async () => {
    const due = ['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z', '2026-01-01T00:00:30.000Z'];
    const { deps, gate } = await held({ due }, { depthOf: async () => 1 });

    await finishWave(deps, { address, generation: 3, wave: empty });

    // Its wake is at three seconds, and a message that was due at two may still be invisible then.
    expect((await gate()).due).toEqual(due.slice(1));
  });

  test('unless a wake was counted since its wave was planned, because that message may be visible', async () => {
    const { deps, gate, published, store } = await held({}, { depthOf: async () => 1 });
    await changeGate(store.table, QUEUE, (row) => ({ wakes: row.wakes + 1 }));

    const step = await finishWave(deps, { address, generation: 3, wave: empty });

    expect(step).toEqual({ next: wave() });
    expect(published).toEqual([]);
    expect(await gate()).toMatchObject({ status: 'draining', wakes: 3 });
  });

  test('even after such a wake if its wave could not receive, because a service must recover first', async () => {
    const { deps, gate, published, store } = await held({}, { depthOf: async () => 1 });
    await changeGate(store.table, QUEUE, (row) => ({ wakes: row.wakes + 1 }));

    const step = await finishWave(deps, { address, generation: 3, wave: { ...empty, faulted: true } });

    expect(step).toEqual({ ended: 'parked' });
    expect(published).toEqual([{ type: 'QueueWorkDetected', ...NOTHING_PUT, at: '2026-01-01T00:00:15.000Z' }]);
    expect((await gate()).status).toBe('idle');
  });

  test('with its wake sent before the gate is released', async () => {
    const { deps, gate } = await held({}, { depthOf: async () => 1, publish: () => Promise.reject(new Error('away')) });

    await expect(finishWave(deps, { address, generation: 3, wave: empty })).rejects.toThrow('away');
    expect((await gate()).status).toBe('draining');
  });
});

describe('a queue of a workload with limits', () => {
  test('is parked until there may be a share, although its messages are visible and a wake came in the meantime', async () => {
    const { deps, gate, published } = await held({ wakes: 3 }, { depthOf: async () => 9 });
    const starved = summary({ received: 0, done: 0, starved: 2, retryAt: Date.parse('2026-01-01T00:00:03.500Z') });

    const step = await finishWave(deps, { address, generation: 3, wave: starved });

    expect(step).toEqual({ ended: 'parked' });
    expect(published).toEqual([{ type: 'QueueWorkDetected', ...NOTHING_PUT, at: '2026-01-01T00:00:03.500Z' }]);
    expect(await gate()).toMatchObject({ status: 'idle', depth: 9, parkedUntil: '2026-01-01T00:00:03.500Z' });
  });

  test('continues if one of its tasks had a share', async () => {
    const next = wave({ tasks: 1 });
    const { deps } = await held({}, { depthOf: async () => 9, plan: async () => next });
    const half = summary({ tasks: 2, starved: 1, retryAt: Date.parse('2026-01-01T00:00:03.500Z') });

    expect(await finishWave(deps, { address, generation: 3, wave: half })).toEqual({ next });
  });
});

describe('the circuit', () => {
  const tripped = summary({ ran: 30, failures: 20, tripped: true });

  test.each([
    ['for ten seconds at first', undefined, '2026-01-01T00:00:10.000Z', 0],
    ['for twice as long after each failed probe', 1, '2026-01-01T00:00:40.000Z', 2],
    ['for five minutes at most', 9, '2026-01-01T00:05:00.000Z', 10],
  ])('pauses the queue %s', async (_what, probes, at, counted) => {
    const paused = probes === undefined ? {} : { paused: { by: 'circuit', reason: '', since: 's', probes } as const };
    const { deps, gate, published } = await held(paused);

    const step = await finishWave(deps, { address, generation: 3, wave: tripped });

    expect(step).toEqual({ ended: 'paused' });
    expect(published).toEqual([{ type: 'QueueWorkDetected', ...NOTHING_PUT, at }]);
    expect((await gate()).paused).toMatchObject({ by: 'circuit', probeAt: at, probes: counted });
  });

  test.each([
    ['for ten seconds at first', undefined, '2026-01-01T00:00:10.000Z'],
    ['for a minute at most, so that a repaired deployment continues soon', 9, '2026-01-01T00:01:00.000Z'],
  ])('pauses a queue for which no thread starts, %s', async (_what, probes, at) => {
    const paused = probes === undefined ? {} : { paused: { by: 'circuit', reason: '', since: 's', probes } as const };
    const { deps, gate, published } = await held(paused, { depthOf: async () => 12 });

    const step = await finishWave(deps, { address, generation: 3, wave: summary({ done: 0, startError: 'NO' }) });

    expect(step).toEqual({ ended: 'paused' });
    expect(published).toEqual([{ type: 'QueueWorkDetected', ...NOTHING_PUT, at }]);
    expect((await gate()).paused).toMatchObject({ by: 'circuit', reason: 'NO', probeAt: at });
  });

  test('reports an error of the items, so that a missing setting can be distinguished from an outage', async () => {
    const { deps, gate } = await held({}, { depthOf: async () => 12 });
    const failed = {
      tripped: true,
      ran: 20,
      failures: 20,
      failure: 'TypeError: Failed to parse URL from undefined/orders',
    };

    await finishWave(deps, { address, generation: 3, wave: summary(failed) });

    const reason = '20 of 20 items failed for retry, one with TypeError: Failed to parse URL from undefined/orders';
    expect((await gate()).paused).toMatchObject({ reason });
  });

  test('stays closed if threads start on another instance', async () => {
    const { deps, gate } = await held({}, { depthOf: async () => 12 });

    const step = await finishWave(deps, { address, generation: 3, wave: summary({ done: 1, startError: 'NO' }) });

    expect(step).toEqual({ next: wave() });
    expect((await gate()).paused).toBeUndefined();
  });

  test('closes when a probe succeeds', async () => {
    const paused = { by: 'circuit', reason: '', since: 's', probes: 3 } as const;
    const { deps, gate } = await held({ paused }, { depthOf: async () => 2 });

    const step = await finishWave(deps, { address, generation: 3, wave: summary({ ran: 1, failures: 0 }) });

    expect(step).toEqual({ next: wave() });
    expect((await gate()).paused).toBeUndefined();
  });

  const probing = { by: 'circuit', reason: '', since: 's', probes: 1, probeAt: '2026-01-01T00:00:00.000Z' } as const;

  test('continues the probe if one item that always fails is all that ran, and does not wait longer for the others', async () => {
    const { deps, gate } = await held({ paused: probing }, { depthOf: async () => 2 });

    const step = await finishWave(deps, {
      ...{ address, generation: 3, wave: summary({ received: 1, ran: 1, failures: 1 }) },
    });

    expect(step).toEqual({ next: wave() });
    expect((await gate()).paused).toEqual({ by: 'circuit', reason: '', since: 's', probes: 1, ran: 1, failures: 1 });
  });

  test('stays open, with twice the wait, when the probes since the last verdict have failed as often as opens it', async () => {
    const { deps, gate } = await held({ paused: { ...probing, ran: 19, failures: 19 } }, { depthOf: async () => 2 });

    await finishWave(deps, { address, generation: 3, wave: summary({ received: 1, ran: 1, failures: 1 }) });

    const { paused } = await gate();
    expect(paused).toMatchObject({ probes: 2, probeAt: '2026-01-01T00:00:40.000Z' });
    expect(paused?.reason).toBe('20 of 20 items failed for retry');
    expect(paused?.ran).toBeUndefined();
  });

  test('waits for the next message if none can be received, and promises no time', async () => {
    const due = ['2026-01-01T00:00:30.000Z'];
    const { deps, gate, published } = await held({ paused: probing, due }, { depthOf: async () => 1 });

    const step = await finishWave(deps, {
      address,
      generation: 3,
      wave: summary({ received: 0, ran: 0, failures: 0 }),
    });

    expect(step).toEqual({ ended: 'parked' });
    expect((await gate()).paused).toEqual({ by: 'circuit', reason: '', since: 's', probes: 1, ran: 0, failures: 0 });
    expect(published).toMatchObject([{ at: (await gate()).parkedUntil }]);
  });

  test('closes when its queue is empty', async () => {
    const { deps, gate } = await held({ paused: probing }, { depthOf: async () => 0 });

    const step = await finishWave(deps, {
      address,
      generation: 3,
      wave: summary({ received: 0, ran: 0, failures: 0 }),
    });

    expect(step).toEqual({ ended: 'drained' });
    expect(await gate()).not.toHaveProperty('paused');
  });
});

test('a queue that an operator has paused is released, and no queue is woken', async () => {
  const measured = { depth: 9, depthAt: '2025-12-31T23:59:00.000Z' };
  const { deps, gate, published } = await held({ ...measured, paused: { by: 'operator', reason: '', since: '' } });

  expect(await finishWave(deps, { address, generation: 3, wave: summary() })).toEqual({ ended: 'paused' });
  expect(await gate()).toMatchObject({ status: 'idle', ...measured });
  expect(published).toEqual([]);
});

test('a drain that has failed releases the gate, with a wake in one minute', async () => {
  const { deps, gate, published } = await held({}, { depthOf: async () => 9 });

  expect(await finishWave(deps, { address, generation: 3, wave: summary(), abandon: true })).toEqual({
    ended: 'abandoned',
  });
  expect((await gate()).status).toBe('idle');
  expect(published).toEqual([{ type: 'QueueWorkDetected', ...NOTHING_PUT, at: '2026-01-01T00:01:00.000Z' }]);
});

describe('a wave that has returned everything that it received', () => {
  const plan = async () => wave({ tasks: 4, quota: 10, receive: 10, depth: 40 });
  const next = async (ended: Parameters<typeof summary>[0]) => {
    const { deps } = await held({}, { depthOf: async () => 40, plan });
    return finishWave(deps, { address, generation: 3, wave: summary(ended) });
  };

  test('is followed by waves of one message until one is finished, because all threads are busy', async () => {
    expect(await next({ received: 40, done: 0 })).toEqual({
      next: wave({ tasks: 1, wanted: 1, quota: 1, receive: 1, depth: 40 }),
    });
    expect(await next({ received: 1, done: 1 })).toEqual({ next: await plan() });
  });

  test('is no different from others if it has finished a message', async () => {
    expect(await next({ received: 40, done: 1 })).toEqual({ next: await plan() });
  });
});
