import { describe, expect, test } from 'vitest';
import { THROTTLED } from '../../../shared/cost/meter.ts';
import { adaptGate, SAFE_FRACTION, summarize } from '../../../shared/drain/adapt.ts';
import { emptyCounts, type SliceResult } from '../../../shared/drain/slice-result.ts';
import { newGate } from '../../../shared/wake/gate-row.ts';
import { summary } from './drain-fixtures.ts';

const gate = newGate('billing-normal-0');
const slice = (fields: Partial<SliceResult>): SliceResult => ({
  ...emptyCounts(),
  ended: 'quotaReached',
  seconds: 1,
  ...fields,
});

describe('a wave in sum', () => {
  test('adds what its slices did, and lasts as long as the longest', () => {
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

  test('names the first error of threads that did not start', () => {
    const slices = [slice({}), slice({ startError: 'first' }), slice({ startError: 'second' })];

    expect(summarize(slices, 0).startError).toBe('first');
  });

  test('of no slices is empty', () => {
    expect(summarize([], 0)).toMatchObject({ tasks: 0, received: 0, seconds: 0 });
  });
});

describe('a workload with limits', () => {
  const limited = (fields: Parameters<typeof summary>[0]) => adaptGate(gate, summary(fields), true);

  test.each([
    ['busy tasks may be more', { tasks: 3, handlerSeconds: 30 }, 6],
    ['tasks that waited four fifths of the time are too many', { tasks: 8, handlerSeconds: 100, waitedSeconds: 80 }, 2],
    ['a quarter of spare stays', { tasks: 2, handlerSeconds: 100, waitedSeconds: 30 }, 2],
    ['one stays, however it waited', { tasks: 1, handlerSeconds: 100, waitedSeconds: 99 }, 1],
    ['also when it did nothing else', { tasks: 1, handlerSeconds: 100, waitedSeconds: 100 }, 1],
    ['tasks without a share are no help', { tasks: 5, starved: 3, handlerSeconds: 100, waitedSeconds: 50 }, 2],
  ])('%s', (_what, fields, tasks) => {
    expect(limited(fields).fedTasks).toBe(tasks);
  });

  test('waiting for the limits is not what a reference takes', () => {
    const measured = limited({ tasks: 2, done: 4, seconds: 10, handlerSeconds: 40, waitedSeconds: 30 });
    expect(measured.secondsPerReference).toBe(1.25);
  });

  test('without limits, nothing is said of them', () => {
    expect(adaptGate(gate, summary({}))).not.toHaveProperty('fedTasks');
  });

  test('knows when the first slice without a share is worth repeating', () => {
    const slices = [
      slice({}),
      slice({ ended: 'noShare', retryAt: 7_000 }),
      slice({ ended: 'noShare', retryAt: 5_000 }),
    ];
    expect(summarize(slices, 0)).toMatchObject({ starved: 2, retryAt: 5_000 });
    expect(summarize([slice({})], 0)).toMatchObject({ starved: 0, retryAt: 0 });
  });
});

describe('what is measured', () => {
  test('the first measurement is taken as it is, later ones by half', () => {
    const first = adaptGate(gate, summary({ tasks: 4, done: 8, seconds: 10, items: 800 }));
    const second = adaptGate({ ...gate, ...first }, summary({ tasks: 4, done: 4, seconds: 1 }));

    expect(first).toMatchObject({ secondsPerReference: 5, itemsPerSecond: 80, idleCount: 0 });
    expect(second.secondsPerReference).toBe(3);
  });

  test('a wave that did nothing teaches nothing but idleness', () => {
    expect(adaptGate({ ...gate, idleCount: 2 }, summary({ done: 0, received: 0 }))).toEqual({
      throttled: 0,
      idleCount: 3,
    });
  });

  test.each([
    ['throttling halves the tasks', {}, summary({ tasks: 9, throttled: 1 }), 4],
    ['throttling leaves one task', {}, summary({ tasks: 1, throttled: 3 }), 1],
    ['failures beyond a tenth halve them', {}, summary({ tasks: 8, ran: 100, failures: 20 }), 4],
    [
      'failures that fewer tasks did not lower are no reason',
      { taskLimit: 4, pressedAt: 8, waveTasks: 8, failureRate: 0.2 },
      summary({ tasks: 4, ran: 100, failures: 20 }),
      6,
    ],
    [
      'more tasks that brought less are too many',
      { waveTasks: 4, itemsPerSecond: 100 },
      summary({ tasks: 8, items: 80, seconds: 1 }),
      4,
    ],
    ['below what was too many it comes back fast', { taskLimit: 4, pressedAt: 20 }, summary({ tasks: 4 }), 6],
    ['and stays just below it', { taskLimit: 17, pressedAt: 20 }, summary({ tasks: 17 }), 18],
    ['without a limit there is none to raise', {}, summary({ items: 500, seconds: 1 }), 0],
  ])('%s', (_what, known, wave, expected) => {
    expect(adaptGate({ ...gate, ...known }, wave).taskLimit).toBe(expected);
  });
});

/** What a wave of so many tasks comes to in a world of its kind; numbers that the rule was not made with. */
interface World {
  name: string;
  /** Items a second, and the share of handler runs that fail. */
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
    name: 'the downstream takes 5,300 items per second and refuses the rest',
    run: (tasks) => {
      const offered = tasks * 240;
      const taken = offered <= 5_300 ? offered : 5_300 * 0.8;
      return { itemsPerSecond: taken, failing: 1 - taken / offered };
    },
  },
];

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
      row = { ...row, ...adaptGate(row, wave) };
      tasks = Math.min(100, row.taskLimit === 0 ? 100 : row.taskLimit);
    }

    expect(items / seconds).toBeGreaterThan(best * 0.9);
  });
});
