import { describe, expect, test } from 'vitest';
import { type GateRow, newGate, toGateEntity } from '../../../../shared/gate/gate-row.ts';
import { SAFE_FRACTION } from '../../../../shared/gate/planning/task-limit.ts';
import { summary } from '../../drain/drain-fixtures.ts';
import { adapt, gate, load } from './adapt-fixtures.ts';

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

describe('the limit after a wave', () => {
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
