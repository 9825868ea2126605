import { describe, expect, test } from 'vitest';
import { THROTTLED } from '../../../../shared/cost/meter.ts';
import { adaptGate } from '../../../../shared/drain/planning/adapt.ts';
import { SAFE_FRACTION } from '../../../../shared/drain/planning/task-limit.ts';
import type { WaveLoad } from '../../../../shared/drain/planning/wave-load.ts';
import { summarize, type WaveContext, type WaveSummary } from '../../../../shared/drain/planning/wave-summary.ts';
import { emptyCounts, type SliceResult } from '../../../../shared/drain/slice-result.ts';
import { type GateRow, newGate, toGateEntity } from '../../../../shared/wake/gate/gate-row.ts';
import { NOW, summary } from '../drain-fixtures.ts';

const gate = newGate('billing-normal-0');
const adapt = (row: GateRow, wave: WaveSummary, context: Partial<WaveContext> = {}): Partial<GateRow> =>
  adaptGate(row, wave, { isLimited: false, concurrentActivities: 5, nowMs: NOW, ...context });
/** The load of one instance with spare capacity, with storage that responds in 10 ms. */
const load = (fields: Partial<WaveLoad> = {}): WaveLoad => ({
  instances: 1,
  cpu: 0.4,
  eventLoop: 0.2,
  responses: 100,
  responseMs: 10,
  ...fields,
});
const slice = (fields: Partial<SliceResult>): SliceResult => ({
  ...emptyCounts(),
  ended: 'quotaReached',
  seconds: 1,
  ...fields,
});

describe('the summary of a wave', () => {
  test('adds the counts of its slices, and has the duration of the longest one', () => {
    const wave = summarize(
      [
        slice({ received: 3, done: 3, items: 30, ran: 31, failures: 1, seconds: 4, operations: { [THROTTLED]: 2 } }),
        slice({ received: 1, done: 0, orphanedReferences: 1, seconds: 6, ended: 'empty', handlerSeconds: 0.5 }),
      ],
      7,
    );

    expect(wave).toMatchObject({
      tasks: 2,
      wakes: 7,
      received: 4,
      done: 3,
      items: 30,
      ran: 31,
      failures: 1,
      orphanedReferences: 1,
      handlerSeconds: 0.5,
      seconds: 6,
      taskSeconds: 10,
      throttled: 2,
      tripped: false,
      faulted: false,
      oldestAt: '',
    });
  });

  test('is tripped or faulted if one of its slices is', () => {
    const wave = summarize([slice({}), slice({ ended: 'tripped' }), slice({ ended: 'fault' })], 0);

    expect(wave).toMatchObject({ tripped: true, faulted: true });
  });

  test('contains the first error of threads that did not start', () => {
    const slices = [slice({}), slice({ startError: 'first' }), slice({ startError: 'second' })];

    expect(summarize(slices, 0).startError).toBe('first');
  });

  test('of no slices is empty', () => {
    expect(summarize([], 0)).toMatchObject({ tasks: 0, received: 0, seconds: 0, load: undefined });
  });

  test('has the load of its busiest instance, and the mean response time of all', () => {
    const own = { instance: 'a', ms: 1_000, cpu: 0.5, eventLoop: 0.1, responses: 10, responseMs: 100 };
    const slices = [
      slice({ load: own }),
      // Its process was busy for a few milliseconds only, which is no evidence.
      slice({ load: { ...own, ms: 10, cpu: 1, eventLoop: 1 } }),
      slice({ load: { ...own, instance: 'b', cpu: 0.3, eventLoop: 0.7, responses: 80, responseMs: 4_800 } }),
      slice({ ended: 'noShare' }),
    ];

    const { load } = summarize(slices, 0);

    expect(load).toMatchObject({ instances: 2, eventLoop: 0.7, responses: 100, responseMs: 50 });
    expect(load?.cpu).toBe(0.505);
  });

  test('has no response time if its slices made no request, and no load if an older version ran it', () => {
    const idle = { instance: 'a', ms: 0, cpu: 0, eventLoop: 0, responses: 0, responseMs: 0 };
    expect(summarize([slice({ load: idle })], 0).load).toEqual(
      load({ cpu: 0, eventLoop: 0, responses: 0, responseMs: 0 }),
    );
    expect(summarize([slice({})], 0).load).toBeUndefined();
  });
});

describe('a workload with limits', () => {
  const limited = (fields: Parameters<typeof summary>[0]) => adapt(gate, summary(fields), { isLimited: true });

  test.each([
    ['busy tasks may become more', { tasks: 3, handlerSeconds: 30 }, 6],
    ['tasks that waited four fifths of the time are too many', { tasks: 8, handlerSeconds: 100, waitedSeconds: 80 }, 2],
    ['a margin of one quarter stays', { tasks: 2, handlerSeconds: 100, waitedSeconds: 30 }, 2],
    ['one task stays, even if it waited all the time', { tasks: 1, handlerSeconds: 100, waitedSeconds: 99 }, 1],
    ['one task stays, even if it did nothing but wait', { tasks: 1, handlerSeconds: 100, waitedSeconds: 100 }, 1],
    ['tasks without a share do not count', { tasks: 5, starved: 3, handlerSeconds: 100, waitedSeconds: 50 }, 2],
  ])('%s', (_what, fields, tasks) => {
    expect(limited(fields).fedTasks).toBe(tasks);
  });

  test('time spent waiting for the limits does not count as time per reference', () => {
    const measured = limited({ tasks: 2, done: 4, seconds: 10, handlerSeconds: 40, waitedSeconds: 30 });
    expect(measured.secondsPerReference).toBe(1.25);
  });

  test('without limits, nothing is recorded about them', () => {
    expect(adapt(gate, summary({}))).not.toHaveProperty('fedTasks');
  });

  test('returns the earliest time to repeat a slice without a share', () => {
    const slices = [
      slice({}),
      slice({ ended: 'noShare', retryAt: 7_000 }),
      slice({ ended: 'noShare', retryAt: 5_000 }),
    ];
    expect(summarize(slices, 0)).toMatchObject({ starved: 2, retryAt: 5_000 });
    expect(summarize([slice({})], 0)).toMatchObject({ starved: 0, retryAt: 0 });
  });
});

describe('the measurements of a wave', () => {
  test('the first measurement is used as it is, later ones with a weight of one half', () => {
    const first = adapt(gate, summary({ tasks: 4, done: 8, seconds: 10, items: 800 }));
    const second = adapt({ ...gate, ...first }, summary({ tasks: 4, done: 4, seconds: 1 }));

    expect(first).toMatchObject({ secondsPerReference: 5, itemsPerSecond: 80, idleCount: 0 });
    expect(second.secondsPerReference).toBe(3);
  });

  test('a wave that did nothing changes only the idle count', () => {
    expect(adapt({ ...gate, idleCount: 2 }, summary({ done: 0, received: 0 }))).toEqual({
      throttled: 0,
      idleCount: 3,
    });
  });

  test('the load of the instances and the age of the oldest work stay until a wave does something again', () => {
    const oldestAt = '2025-12-31T23:59:58.500Z';
    const first = adapt(gate, summary({ load: load({ instances: 3 }), oldestAt }));
    const idle = adapt({ ...gate, ...first }, summary({ done: 0, load: load({ instances: 1 }) }));

    const kept = { instances: 3, cpu: 0.4, eventLoop: 0.2, responseMs: 10, usualResponseMs: 10, latencyMs: 1_500 };
    expect(first).toMatchObject(kept);
    expect({ ...gate, ...first, ...idle }).toMatchObject(kept);
  });

  test('work of unknown age has no latency', () => {
    expect(adapt({ ...gate, latencyMs: 9 }, summary({})).latencyMs).toBe(0);
  });

  test('a wave with more tasks than places has the duration of all its slices on those places', () => {
    const wave = summary({ tasks: 20, done: 20, items: 1_200, seconds: 30, taskSeconds: 600, load: load() });

    expect(adapt(gate, wave).itemsPerSecond).toBe(10);
  });

  test.each([
    ['throttling halves the tasks', {}, summary({ tasks: 9, throttled: 1 }), 4],
    ['throttling leaves one task', {}, summary({ tasks: 1, throttled: 3 }), 1],
    ['a failure rate above one tenth halves them', {}, summary({ tasks: 8, ran: 100, failures: 20 }), 4],
    [
      'failures that did not decrease with fewer tasks are no reason',
      { taskLimit: 4, pressedAt: 8, waveTasks: 8, failureRate: 0.2 },
      summary({ tasks: 4, ran: 100, failures: 20 }),
      6,
    ],
    [
      'failures that stay with as many tasks at the same time halve them again',
      { taskLimit: 45, pressedAt: 90, waveTasks: 90, instances: 1, failureRate: 0.2 },
      summary({ tasks: 45, ran: 100, failures: 20, load: load() }),
      22,
    ],
    [
      'more tasks with less throughput are too many',
      { waveTasks: 4, itemsPerSecond: 100 },
      summary({ tasks: 8, items: 80, seconds: 1 }),
      4,
    ],
    [
      'below the number that was too many, the limit rises quickly',
      { taskLimit: 4, pressedAt: 20 },
      summary({ tasks: 4 }),
      6,
    ],
    [
      'the limit stays just below the number that was too many',
      { taskLimit: 17, pressedAt: 20 },
      summary({ tasks: 17 }),
      18,
    ],
    ['without a limit, none is set', {}, summary({ items: 500, seconds: 1 }), 0],
    [
      'responses that stay slow with as many tasks at the same time halve them again',
      { taskLimit: 45, pressedAt: 90, waveTasks: 90, instances: 1, responseMs: 500, usualResponseMs: 10 },
      summary({ tasks: 45, load: load({ responseMs: 500 }) }),
      22,
    ],
    [
      'responses far slower than usual halve them',
      { usualResponseMs: 10 },
      summary({ tasks: 4, load: load({ responseMs: 120 }) }),
      2,
    ],
    [
      'three times as slow does not count for a few milliseconds',
      { usualResponseMs: 10 },
      summary({ tasks: 4, load: load({ responseMs: 90 }) }),
      0,
    ],
    [
      'a hundred milliseconds more do not count if they are a small part',
      { usualResponseMs: 100 },
      summary({ tasks: 4, load: load({ responseMs: 250 }) }),
      0,
    ],
    [
      'slow responses do not count if the main thread is busy',
      { usualResponseMs: 10 },
      summary({ tasks: 4, load: load({ responseMs: 900, eventLoop: 0.9 }) }),
      0,
    ],
    [
      'slow responses do not count if the cores are busy',
      { usualResponseMs: 10 },
      summary({ tasks: 4, load: load({ responseMs: 900, cpu: 0.9 }) }),
      0,
    ],
    [
      'a few responses do not count',
      { usualResponseMs: 10 },
      summary({ tasks: 4, load: load({ responseMs: 900, responses: 19 }) }),
      0,
    ],
    ['one task is not too many', { usualResponseMs: 10 }, summary({ tasks: 1, load: load({ responseMs: 900 }) }), 0],
    [
      'if fewer tasks did not make responses faster, the limit is removed',
      { taskLimit: 2, pressedAt: 4, waveTasks: 4, instances: 1, responseMs: 500, usualResponseMs: 10 },
      summary({ tasks: 2, load: load({ responseMs: 450 }) }),
      0,
    ],
    [
      'a limit that failures have set stays, while responses are as usual',
      { taskLimit: 2, pressedAt: 4, waveTasks: 4, instances: 1, responseMs: 10, usualResponseMs: 10 },
      summary({ tasks: 2, load: load() }),
      3,
    ],
    [
      'a limit that throttling has set stays',
      { taskLimit: 2, pressedAt: 4, waveTasks: 4, instances: 1, responseMs: 500, usualResponseMs: 10, throttled: 1 },
      summary({ tasks: 2, load: load({ responseMs: 450 }) }),
      3,
    ],
  ])('%s', (_what, known, wave, expected) => {
    expect(adapt({ ...gate, ...known }, wave).taskLimit).toBe(expected);
  });
});

describe('the usual response time', () => {
  const known = { ...gate, waveTasks: 4, instances: 1, responseMs: 300, usualResponseMs: 100 };
  const after = (tasks: number, fields: Partial<WaveLoad>): number | undefined =>
    adapt(known, summary({ tasks, load: load(fields) })).usualResponseMs;

  test.each<[string, number, Partial<WaveLoad>, number]>([
    ['follows lower times', 4, { responseMs: 40 }, 70],
    ['does not follow higher times, since it would drift with the load', 4, { responseMs: 150 }, 100],
    ['is the time that a single task measures', 1, { responseMs: 150 }, 150],
    ['is the time that did not fall with fewer tasks', 3, { responseMs: 280 }, 280],
    ['is not the time that fell with fewer tasks', 3, { responseMs: 200 }, 100],
    ['is not measured on a saturated instance', 3, { responseMs: 280, cpu: 1 }, 100],
    ['is not taken from a few responses', 3, { responseMs: 10, responses: 5 }, 100],
  ])('%s', (_what, tasks, fields, expected) => {
    expect(after(tasks, fields)).toBe(expected);
  });
});

/** The throughput of a wave by its number of tasks, in an environment of one kind. The rule was not tuned with these numbers. */
interface World {
  name: string;
  /** Items per second, and the share of handler runs that fail. */
  run: (tasks: number) => { itemsPerSecond: number; failing: number };
  throttledAbove?: number;
}
const cpus = 6;
const WORLDS: World[] = [
  { name: 'each item waits 5 ms', run: (tasks) => ({ itemsPerSecond: tasks * 190, failing: 0 }) },
  {
    name: 'six cores are all there is',
    run: (tasks) => ({ itemsPerSecond: Math.min(tasks, cpus) * 40_000, failing: 0 }),
  },
  {
    name: 'storage throttles above 37 tasks',
    run: (tasks) => ({ itemsPerSecond: Math.min(tasks, 37) * 300 * (tasks > 37 ? 0.6 : 1), failing: 0 }),
    throttledAbove: 37,
  },
  {
    name: 'the downstream service accepts 5,300 items per second and refuses the rest',
    run: (tasks) => {
      const offered = tasks * 240;
      const taken = offered <= 5_300 ? offered : 5_300 * 0.8;
      return { itemsPerSecond: taken, failing: 1 - taken / offered };
    },
  },
];

describe('a limit that is not pressed again', () => {
  /** Runs waves of as many tasks as the limit allows, after a small wave that was throttled. */
  function afterThrottled(tasks: number, waves: number): { row: GateRow; limits: number[] } {
    let row: GateRow = { ...newGate('q'), ...adapt(newGate('q'), summary({ tasks, throttled: 1 })) };
    const limits: number[] = [];
    for (let count = 0; count < waves; count += 1) {
      const most = row.taskLimit === 0 ? 100 : Math.min(100, row.taskLimit);
      row = { ...row, ...adapt(row, summary({ tasks: most, done: most, items: most * 1_000, seconds: 30 })) };
      limits.push(row.taskLimit === 0 ? 100 : row.taskLimit);
    }
    return { row, limits };
  }

  test.each([1, 2, 5, 20])('rises after a wave of %i tasks, slowly at first', (tasks) => {
    const { limits } = afterThrottled(tasks, 25);

    expect(limits.findIndex((limit) => limit > tasks)).toBeGreaterThanOrEqual(8);
    expect(limits.at(-1)).toBeGreaterThanOrEqual(100);
  });

  test('is forgotten before its numbers are too large for their columns', () => {
    for (const tasks of [1, 100]) {
      const { row } = afterThrottled(tasks, 3_000);
      expect(() => toGateEntity(row)).not.toThrow();
      expect(row.taskLimit).toBe(0);
    }
  });

  test('stays while the queue has too little work to test it', () => {
    let row: GateRow = { ...newGate('q'), ...adapt(newGate('q'), summary({ tasks: 40, throttled: 1 })) };
    for (let count = 0; count < 30; count += 1) row = { ...row, ...adapt(row, summary({ tasks: 1, done: 1 })) };

    expect(row.taskLimit).toBeLessThan(60);
  });
});

describe('after a minute the throughput is within a tenth of that of the best number of tasks', () => {
  test.each(WORLDS)('$name', ({ run, throttledAbove = Number.POSITIVE_INFINITY }) => {
    const best = Math.max(...Array.from({ length: 100 }, (_, n) => run(n + 1).itemsPerSecond));
    let row = newGate('q');
    let tasks = 100;
    let clock = 0;
    let items = 0;
    let seconds = 0;

    for (let count = 0; count < 40; count += 1) {
      const { itemsPerSecond, failing } = run(tasks);
      const exploring = row.taskLimit > 0 && row.taskLimit < Math.floor(row.pressedAt * SAFE_FRACTION);
      const lasts = exploring || count === 0 ? 5 : 30;
      if (clock >= 60) {
        items += itemsPerSecond * lasts;
        seconds += lasts;
      }
      clock += lasts;
      const ran = (itemsPerSecond * lasts) / (1 - failing);
      const throttled = tasks > throttledAbove ? 5 : 0;
      const wave = summary({
        tasks,
        done: tasks,
        items: itemsPerSecond * lasts,
        ran,
        failures: ran * failing,
        seconds: lasts,
        throttled,
      });
      row = { ...row, ...adapt(row, wave) };
      tasks = Math.min(100, row.taskLimit === 0 ? 100 : row.taskLimit);
    }

    expect(items / seconds).toBeGreaterThan(best * 0.9);
  });
});
