import type { OrchestrationContext, Task } from 'durable-functions';
import { describe, expect, test } from 'vitest';
import { runOrchestrator } from '../../../src/testing/index.ts';

const activities = { charge: () => 'charged', note: () => 'noted' };
const run = (handler: (context: OrchestrationContext) => Generator<Task, unknown, unknown>) =>
  runOrchestrator(handler, { input: null, activities });

describe('an activity input that a replay computes differently fails the run', () => {
  test('with a random number', async () => {
    await expect(
      run(function* (context) {
        yield context.df.callActivity('charge', { id: Math.random() });
      }),
    ).rejects.toThrow(
      /^Activity "charge" was scheduled with input \{"id":[\d.e-]+\}, but a replay scheduled it with \{"id":[\d.e-]+\}/,
    );
  });

  test('with the time, in a task among others and after another activity', async () => {
    let clock = 100;
    await expect(
      run(function* (context) {
        yield context.df.callActivity('note', 'first');
        const tasks = [context.df.callActivity('note', 'second'), context.df.callActivity('charge', clock++)];
        yield context.df.Task.all(tasks);
      }),
    ).rejects.toThrow('Activity "charge" was scheduled with input 100, but a replay scheduled it with 101');
  });

  test('with the replay flag', async () => {
    await expect(
      run(function* (context) {
        yield context.df.callActivity('charge', context.df.isReplaying ? 'again' : 'first');
      }),
    ).rejects.toThrow('Activity "charge" was scheduled with input "first", but a replay scheduled it with "again"');
  });

  test('with the replay flag, after an activity', async () => {
    await expect(
      run(function* (context) {
        yield context.df.callActivity('note');
        yield context.df.callActivity('charge', context.df.isReplaying);
      }),
    ).rejects.toThrow('Activity "charge" was scheduled with input false, but a replay scheduled it with true');
  });

  test('with a string that exists only once', async () => {
    const texts = ['only once'];
    await expect(
      run(function* (context) {
        yield context.df.callActivity('charge', texts.pop());
      }),
    ).rejects.toThrow('Activity "charge" was scheduled with input "only once", but a replay scheduled it with nothing');
  });

  test('in each attempt of an orchestrator that ends with an error', async () => {
    let id = 0;
    await expect(
      run(function* (context) {
        yield context.df.callActivity('charge', { id: ++id });
        throw new Error('ends');
      }),
    ).rejects.toThrow('Activity "charge" was scheduled with input {"id":1}, but a replay scheduled it with {"id":2}');
  });
});

test('unchanged inputs are accepted, in tasks, retries, timers and further executions', async () => {
  let tries = 0;
  const result = await runOrchestrator(
    function* (context) {
      const { left } = context.df.getInput<{ left: number }>() as { left: number };
      const time = context.df.currentUtcDateTime.toISOString();
      yield context.df.Task.all([context.df.callActivity('note', { time, left }), context.df.callActivity('charge')]);
      yield context.df.createTimer(new Date(context.df.currentUtcDateTime.getTime() + 1_000));
      if (left > 0) context.df.continueAsNew({ left: left - 1 });
      return left;
    },
    {
      input: { left: 1 },
      activities: { note: () => null, charge: () => tries++ },
    },
  );

  expect(result).toMatchObject({
    status: 'completed',
    continuations: [{ left: 0 }],
    endedAt: '2026-01-01T00:00:02.000Z',
  });
  expect(result.calls.map(({ name, input }) => [name, input])).toEqual([
    ['note', { time: '2026-01-01T00:00:00.000Z', left: 1 }],
    ['charge', null],
    ['note', { time: '2026-01-01T00:00:01.000Z', left: 0 }],
    ['charge', null],
  ]);
});

test('a call of an activity that the test does not provide fails the run', async () => {
  await expect(
    run(function* (context) {
      yield context.df.callActivity('refund', 1);
    }),
  ).rejects.toThrow('Expected an activity "refund" in the test, found none.');
});

test('an orchestrator that waits for an event fails the run instead of hanging', async () => {
  await expect(
    run(function* (context) {
      yield context.df.waitForExternalEvent('approval');
    }),
  ).rejects.toThrow('waits for something other than an activity or a timer');
});
