import { describe, expect, test } from 'vitest';
import { runSlice } from '../../../shared/drain/slice.ts';
import type { SliceTime } from '../../../shared/drain/slice-time.ts';
import { trips } from '../../../shared/gate/circuit.ts';
import type { WorkCounts } from '../../../shared/gate/planning/slice-result.ts';
import { wave } from './drain-fixtures.ts';
import { type World, world } from './slice-fixtures.ts';

test('one of several slices ends when its quota is reached, and requests no more messages than that', async () => {
  const effects = world([
    [1, 2, 3],
    [4, 5],
  ]);

  const result = await runSlice(wave({ tasks: 2, quota: 5, receive: 3 }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 5, done: 5 });
  expect(effects.asked).toEqual([3, 2]);
});

test('a slice starts no round after its time', async () => {
  const effects = world([[1], [2], [3]], { roundMs: 20_000 });

  const result = await runSlice(wave({ quota: 10, sliceSeconds: 30 }), effects);

  expect(result).toMatchObject({ ended: 'timeUp', received: 2, seconds: 40 });
});

test('a slice of a process that is about to end signals this to its round, and receives nothing more', async () => {
  const effects = world([[1], [2]]);
  let mustEnd = false;
  const process = (messages: number[], time: SliceTime): Promise<WorkCounts> => {
    mustEnd = true;
    return effects.process(messages, time);
  };

  const result = await runSlice(wave({ quota: 10 }), { ...effects, process, mustEnd: () => mustEnd });

  expect(result).toMatchObject({ ended: 'timeUp', received: 1 });
  expect([effects.back, effects.asked.length]).toEqual([[1], 1]);
});

test('a round can see when the time of its slice is up', async () => {
  const seen: boolean[] = [];
  const effects = world([[1]], { roundMs: 31_000 });
  const process = async (messages: number[], time: SliceTime): Promise<WorkCounts> => {
    seen.push(time.isOver());
    const total = await effects.process(messages, time);
    seen.push(time.isOver());
    return total;
  };

  await runSlice(wave({ quota: 10 }), { ...effects, process });

  expect(seen).toEqual([false, true]);
});

test('an empty queue is polled with back-off until the wait would reach its maximum', async () => {
  const effects = world([]);

  const result = await runSlice(wave({ quota: 10 }), effects);

  expect(result).toMatchObject({ ended: 'empty', received: 0 });
  expect(effects.slept).toEqual([100, 300, 700]);
});

test('a received message restarts the back-off', async () => {
  const effects = world([[], [], [1]]);

  await runSlice(wave({ quota: 10, depth: 10 }), effects);

  expect(effects.slept).toEqual([100, 300, 100, 300, 700]);
});

test('a slice ends when its circuit trips', async () => {
  const effects = world([[1], [2]], { total: { ran: 20, failures: 11 } });

  expect(await runSlice(wave({ quota: 10 }), effects)).toMatchObject({ ended: 'tripped', received: 1 });
});

test('a slice ends with the first error of threads that do not start', async () => {
  const effects = world([[1], [2]], { total: { startError: 'NO' } });

  const result = await runSlice(wave({ quota: 10 }), effects);

  expect(result).toMatchObject({ ended: 'startFailed', received: 1, startError: 'NO' });
});

describe('with an interval between receives', () => {
  /** When each receive was made. */
  const timed = (effects: World): World & { times: number[] } => {
    const times: number[] = [];
    const { receive } = effects;
    return Object.assign(effects, {
      times,
      receive: (count: number) => {
        times.push(effects.nowMs());
        return receive(count);
      },
    });
  };

  test('a task waits between receives, also after the last one of its quota, and does not count that as work', async () => {
    const effects = timed(world([[1], [2]], { roundMs: 300 }));

    const result = await runSlice(wave({ tasks: 2, quota: 2, receiveIntervalMs: 2_500 }), effects);

    expect(result).toMatchObject({ ended: 'quotaReached', received: 2, seconds: 0.6 });
    expect([effects.times, effects.nowMs()]).toEqual([[0, 2_500], 5_000]);
  });

  test('a round that takes longer is followed immediately by a receive', async () => {
    const effects = timed(world([[1], [2]], { roundMs: 3_000 }));

    await runSlice(wave({ tasks: 2, quota: 2, receiveIntervalMs: 2_500 }), effects);

    expect([effects.times, effects.slept]).toEqual([[0, 3_000], []]);
  });

  test('if it is longer than a slice, the slice has one receive, and the wait ends with it', async () => {
    const effects = timed(world([[1], [2]]));

    const result = await runSlice(wave({ quota: 2, sliceSeconds: 30, receiveIntervalMs: 60_000 }), effects);

    expect(result).toMatchObject({ ended: 'timeUp', received: 1, seconds: 0 });
    expect([effects.times, effects.nowMs()]).toEqual([[0], 30_000]);
  });

  test('empty receives back off, or wait for the interval if it is longer', async () => {
    const effects = timed(world([]));

    const result = await runSlice(wave({ quota: 10, receiveIntervalMs: 200 }), effects);

    expect(result).toMatchObject({ ended: 'empty', received: 0 });
    expect(effects.times).toEqual([0, 200, 500, 1_200]);
  });

  test('the only task of a wave keeps its own interval if that is longer', async () => {
    const paced = timed(world([[1], [2]]));
    await runSlice(wave({ quota: 1, receive: 32, receiveIntervalMs: 100 }), paced);
    expect(paced.times.slice(0, 3)).toEqual([0, 1_000, 1_500]);

    const slower = timed(world([[1], [2]]));
    await runSlice(wave({ quota: 1, receive: 32, receiveIntervalMs: 2_000 }), slower);
    expect(slower.times.slice(0, 3)).toEqual([0, 2_000, 4_000]);
  });

  test('a process that is about to end waits no longer than a second', async () => {
    const effects = timed(world([[1], [2]]));

    await runSlice(wave({ quota: 2, receiveIntervalMs: 20_000 }), { ...effects, mustEnd: () => effects.nowMs() > 0 });

    expect([effects.times, effects.nowMs()]).toEqual([[0], 1_000]);
  });
});

describe('the circuit', () => {
  test.each([
    [20, 10, false],
    [20, 11, true],
    // Fewer items are no evidence about the service behind: an invalid item in a retry chunk of its own must not stop
    // the queue.
    [19, 19, false],
    [0, 0, false],
  ])('with %i items run and %i failed, tripped is %s', (ran, failures, tripped) => {
    expect(trips({ ran, failures })).toBe(tripped);
  });
});

test('a pause does not change the quota', async () => {
  const effects = { ...world([[1], [2]]), mayContinue: async () => false };

  await runSlice(wave({ quota: 2, receive: 32 }), effects);

  expect(effects.back).toEqual([]);
});

test('one of several tasks, and a probe, receive no more than their quota', async () => {
  for (const fields of [{ tasks: 2 }, { probe: true }]) {
    const result = await runSlice(wave({ quota: 1, receive: 1, ...fields }), world([[1], [2]], { total: { ran: 1 } }));

    expect(result).toMatchObject({ ended: 'quotaReached', received: 1 });
  }
});

test.each([
  [
    'until half of the items have succeeded',
    [
      [1, 1],
      [1, 1],
      [2, 0],
    ],
    3,
    'quotaReached',
  ],
  ['until as many have failed as open a circuit', Array.from({ length: 30 }, () => [1, 1]), 20, 'tripped'],
  [
    'until no message can be received',
    [
      [1, 1],
      [1, 1],
    ],
    2,
    'empty',
  ],
])('a probe whose first items fail continues %s', async (_title, rounds, received, ended) => {
  const effects = world(rounds.map((_, n) => [n]));
  const { process } = effects;
  effects.process = async ([n = 0], isOver) => {
    const [ran = 0, failures = 0] = rounds[n] ?? [];
    return { ...(await process([n], isOver)), ran, failures };
  };

  const result = await runSlice(wave({ quota: 1, receive: 1, probe: true }), effects);

  expect(result).toMatchObject({ ended, received });
});

test('a probe ends with a reference that cannot be finished', async () => {
  const effects = world([[1], [2]], { total: { done: 0 } });

  const result = await runSlice(wave({ quota: 1, receive: 1, probe: true }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 1 });
});

test('a probe continues after chunks that end without being run because their batch is cancelled', async () => {
  const effects = world([[1], [2], [3], [4]]);
  const { process } = effects;
  effects.process = async (messages, isOver) => ({
    ...(await process(messages, isOver)),
    ran: messages[0] === 3 ? 5 : 0,
  });

  const result = await runSlice(wave({ quota: 1, receive: 1, probe: true }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 3, done: 3, ran: 5 });
});
