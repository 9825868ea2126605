import { afterEach, describe, expect, test, vi } from 'vitest';
import { resultsQueueName } from '../../../shared/contract/names.ts';
import type { ResponseTimes } from '../../../shared/cost/account.ts';
import { type ActivityDeps, createActivities } from '../../../shared/drain/activities.ts';
import type { SliceTime } from '../../../shared/drain/slice-time.ts';
import type { GateRow } from '../../../shared/gate/gate-row.ts';
import { changeGate, readGate } from '../../../shared/gate/gate-store.ts';
import { latestHeartbeat } from '../../../shared/gate/heartbeat.ts';
import { emptyCounts } from '../../../shared/gate/planning/slice-result.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { serviceError } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { finishWaveDeps, NOW, registry, wave } from './drain-fixtures.ts';

const QUEUE = 'billing-normal-0';

/** A gate of generation 3, and its dequeue tasks on a queue that returns `texts` one by one. */
async function world(fields: Partial<GateRow>, texts: string[] = [], queue = QUEUE) {
  const { table } = memoryTable();
  const back: string[] = [];
  const limits: string[] = [];
  let retryAt: number | undefined;
  let isStopping = false;
  let beats = 0;
  let beforeEnter: () => unknown = () => undefined;
  const { upsertEntity } = table;
  table.upsertEntity = ((...args: Parameters<typeof upsertEntity>) => {
    beats += 1;
    return upsertEntity(...args);
  }) as typeof upsertEntity;
  let beforeReceive: () => Promise<unknown> = async () => {};
  let whileRunning: () => Promise<unknown> = async () => {};
  await changeGate(table, queue, () => ({ status: 'draining', generation: 3, ...fields }));
  const deps = {
    ...finishWaveDeps(table),
    functionSeconds: 600,
    registry,
    queues: () => ({
      receiveMessages: async () => {
        await beforeReceive();
        return { receivedMessageItems: texts.splice(0, 1).map((messageText) => ({ messageText })) };
      },
    }),
    roundFor: () => async (messages: { messageText: string }[], time: SliceTime) => {
      await whileRunning();
      if (time.isOver()) back.push(...messages.map(({ messageText }) => messageText));
      return { ...emptyCounts(), received: messages.length };
    },
    limits: {
      enter: async () => {
        limits.push('enter');
        beforeEnter();
        return retryAt === undefined ? { leave: async () => void limits.push('leave') } : { retryAt };
      },
      isStarved: () => limits.push('isStarved') < 0,
    },
    isStopping: () => isStopping,
    measureInstance: () => (responses: ResponseTimes) => ({ instance: 'a', ms: 5, responses: responses.count }),
  } as unknown as ActivityDeps;
  const { dequeueBatch, finishWave } = createActivities(deps);
  return {
    back,
    limits,
    refuse: (atMs: number) => {
      retryAt = atMs;
    },
    end: () => {
      isStopping = true;
    },
    /** Whether the gate can no longer be read after the slice has started. */
    loseGate: () => {
      const { getEntity } = table;
      let reads = 0;
      table.getEntity = ((...args: Parameters<typeof getEntity>) => {
        reads += 1;
        return reads > 1 ? Promise.reject(serviceError(503)) : getEntity(...args);
      }) as typeof getEntity;
    },
    /** Number of heartbeats so far. */
    writes: () => beats,
    /** The claim of a share takes long. */
    slowDown: (action: () => unknown) => {
      beforeEnter = action;
    },
    breakTable: () => {
      table.getEntity = () => Promise.reject(serviceError(503));
    },
    onReceive: (action: () => Promise<unknown>) => {
      beforeReceive = action;
    },
    onRound: (action: () => Promise<unknown>) => {
      whileRunning = action;
    },
    /** How long the drain and its tasks count as alive, in seconds from the beginning. */
    aliveSeconds: async () => ((await latestHeartbeat(table, (await readGate(table, queue)).row)) - NOW) / 1_000,
    pause: () => changeGate(table, queue, () => ({ paused: { by: 'operator', reason: '', since: '' } })),
    gate: async () => (await readGate(table, queue)).row,
    finish: (generation: number) => finishWave({ queue, generation, slices: [], wakes: 0 }),
    dequeue: (task: string, size: Partial<Parameters<typeof wave>[0]> = {}) =>
      dequeueBatch({ queue, generation: 3, task, wave: wave(size) }),
  };
}

test('the first task of a drain records the wave in the gate, with the time that it may take', async () => {
  const { dequeue, gate } = await world({});

  await dequeue('t0', { depth: 40, tasks: 4, quota: 10 });

  // 30 s x (4 tasks / 2 at the same time + 2), plus 60 s until the runtime hands over the work of a dead instance.
  expect(await gate()).toMatchObject({ depth: 40, active: 4, aliveUntil: '2026-01-01T00:03:00.000Z' });
});

test.each<[string, string, Partial<GateRow>]>([
  ['the other tasks', 't1', {}],
  [
    'a task of a later wave, which `finish-wave` has recorded',
    't0',
    { active: 2, depth: 9, aliveUntil: '2026-01-01T00:00:09.000Z' },
  ],
])('%s do not change the gate', async (_what, task, fields) => {
  const { dequeue, gate } = await world(fields);
  const before = await gate();

  await dequeue(task, { depth: 40, tasks: 4, quota: 10 });

  expect(await gate()).toEqual(before);
});

test('a task that continues beyond its quota returns what it receives after a pause', async () => {
  const { back, dequeue, onReceive, pause } = await world({}, ['share', 'later']);
  onReceive(pause);

  expect(await dequeue('t0', { receive: 32 })).toMatchObject({ ended: 'quotaReached', received: 2 });
  expect(back).toEqual(['later']);
});

test('a task of a queue that an operator has paused receives nothing, even if its drain was started again', async () => {
  const { back, dequeue, gate, pause } = await world({ aliveUntil: '' }, ['waits']);
  await pause();

  expect(await dequeue('t0')).toMatchObject({ ended: 'paused', received: 0 });
  expect([back, (await gate()).aliveUntil]).toEqual([[], '']);
});

test('a task of a queue that the circuit has paused is its probe, and receives', async () => {
  const { dequeue } = await world({ paused: { by: 'circuit', reason: 'down', since: '' } }, ['probe']);

  expect(await dequeue('t0')).toMatchObject({ received: 1 });
});

describe('a drain whose workload the app does not have any longer', () => {
  test('receives nothing, logs it, and releases its gate without touching its messages', async () => {
    const { dequeue, finish, gate } = await world({}, ['waits'], 'gone-normal-0');
    const warnings: unknown[] = [];

    const slice = await dequeue('t0');
    const next = await withLog({ ...SILENT_LOG, warn: (event) => void warnings.push(event) }, () => finish(3));

    expect(slice).toMatchObject({ ended: 'notDeployed', received: 0 });
    expect([next, warnings, (await gate()).status]).toEqual([
      {},
      [expect.stringContaining('"event":"workload-not-deployed"')],
      'idle',
    ]);
  });

  test('does not release a gate that a later drain holds', async () => {
    const { finish, gate } = await world({}, [], 'gone-normal-0');

    await withLog(SILENT_LOG, () => finish(2));

    expect(await gate()).toMatchObject({ status: 'draining', generation: 3 });
  });
});

test('a task that stays returns its messages immediately if it cannot read the gate', async () => {
  const { back, dequeue, loseGate } = await world({}, ['share', 'later']);
  loseGate();

  const slice = await withLog(SILENT_LOG, () => dequeue('t1', { receive: 32 }));

  expect(slice).toMatchObject({ ended: 'quotaReached', received: 2 });
  expect(back).toEqual(['later']);
});

test('a process that is about to end receives nothing and reports a fault, so that another one tries soon', async () => {
  const { back, dequeue, end } = await world({}, ['waits']);
  end();

  expect(await dequeue('t0')).toMatchObject({ ended: 'fault', received: 0 });
  expect(back).toEqual([]);
});

test('a task without a share receives nothing, and reports when to try again', async () => {
  const { dequeue, limits, refuse } = await world({}, ['waits']);
  refuse(5_000);

  expect(await dequeue('t0')).toMatchObject({ ended: 'noShare', received: 0, retryAt: 5_000 });
  expect(limits).toEqual(['enter']);
});

test('limits apply to a queue of items until its task leaves, and never to a queue of results', async () => {
  const items = await world({}, ['chunk']);
  const results = await world({}, ['result'], resultsQueueName('billing'));

  expect([await items.dequeue('t0'), await results.dequeue('t0')]).toMatchObject([{ received: 1 }, { received: 1 }]);
  expect([items.limits[0], items.limits.at(-1), results.limits]).toEqual(['enter', 'leave', []]);
});

test('only a slice that ran reports the load of its process', async () => {
  const { dequeue, refuse } = await world({}, ['one']);

  const ran = await dequeue('t0');
  refuse(7_000);
  const notRun = await dequeue('t1');

  expect([ran.load, notRun.load]).toEqual([{ instance: 'a', ms: 5, responses: 0 }, undefined]);
});

test('a task that fails ends with a fault instead of an error, so that its wave continues', async () => {
  const { dequeue, breakTable } = await world({}, ['one']);
  breakTable();

  const lines: string[] = [];
  const sink = { ...SILENT_LOG, error: (line: string) => void lines.push(line) };
  const result = await withLog(sink, () => dequeue('t0'));

  expect(result).toMatchObject({ ended: 'fault', received: 0 });
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['slice-failed']);
});

describe('a task whose chunks run for minutes', () => {
  /** Freezes the round, and the clocks of the process and of the service. */
  const frozen = async () => {
    vi.useFakeTimers({
      now: NOW,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = await world({ aliveUntil: '2026-01-01T00:00:01.000Z' }, ['slow']);
    const running = Promise.withResolvers<void>();
    own.onRound(() => {
      running.resolve();
      return promise;
    });
    const slice = withLog(SILENT_LOG, () => own.dequeue('t1'));
    await running.promise;
    return { ...own, slice, end: resolve };
  };
  afterEach(() => {
    vi.useRealTimers();
  });

  test('renews its heartbeat at half of its time, and no longer when it has ended', async () => {
    const { aliveSeconds, end, slice, writes } = await frozen();
    const first = await aliveSeconds();
    const before = writes();

    await vi.advanceTimersByTimeAsync(74_000);
    const early = writes() - before;
    await vi.advanceTimersByTimeAsync(2_000);
    const renewed = writes() - before;
    end();
    await slice;
    await vi.advanceTimersByTimeAsync(300_000);

    // 30 s x 3 + 60 s: it counts as alive for 150 s.
    expect([first, early, renewed, writes() - before]).toEqual([150, 0, 1, 1]);
  });

  test('ends with a fault before the limit of its invocation, although a service never responds', async () => {
    const { slice } = await frozen();

    await vi.advanceTimersByTimeAsync(590_000);

    expect(await slice).toMatchObject({ ended: 'fault', received: 0 });
  });
});

test('a task that could not begin before its items no longer fit receives nothing, and reports a fault', async () => {
  const { dequeue, slowDown } = await world({}, ['waits']);
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  try {
    // 600 s of the host, 60 s of the workload and 30 s for the end leave 510 s.
    slowDown(() => vi.advanceTimersByTime(510_000));
    expect(await dequeue('t1')).toMatchObject({ ended: 'fault', received: 0 });
  } finally {
    vi.useRealTimers();
  }
});
