import { describe, expect, test } from 'vitest';
import type { WaveLoad } from '../../../../shared/gate/planning/wave-load.ts';
import { summarize } from '../../../../shared/gate/planning/wave-summary.ts';
import { summary } from '../../drain/drain-fixtures.ts';
import { adapt, gate, load, slice } from './adapt-fixtures.ts';

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
