import * as df from 'durable-functions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus } from '../../helpers/durable-shim.ts';

df.app.activity('double', { handler: (value: number) => value * 2 });
df.app.activity('echo', { handler: (value: unknown) => value });
df.app.activity('fail', {
  handler: (reason: string) => {
    throw new Error(reason);
  },
});

df.app.orchestration('sequence', function* (context) {
  let value = context.df.getInput<number>();
  for (let step = 0; step < 3; step++) value = (yield context.df.callActivity('double', value)) as number;
  return value;
});
df.app.orchestration('fanOut', function* (context) {
  const count = context.df.getInput() as number;
  const tasks = Array.from({ length: count }, (_, index) => context.df.callActivity('double', index));
  const results = (yield context.df.Task.all(tasks)) as number[];
  return results.reduce((sum, result) => sum + result, 0);
});
df.app.orchestration('any', function* (context) {
  const timer = context.df.createTimer(new Date(context.df.currentUtcDateTime.getTime() + 60_000));
  const task = context.df.callActivity('echo', 'won');
  const winner = yield context.df.Task.any([timer, task]);
  timer.cancel();
  return winner === task ? task.result : 'timer';
});
df.app.orchestration('timer', function* (context) {
  const start = context.df.currentUtcDateTime.getTime();
  yield context.df.createTimer(new Date(start + 50));
  return context.df.currentUtcDateTime.getTime() - start;
});
df.app.orchestration('echoInput', function* (context) {
  return yield context.df.callActivity('echo', context.df.getInput());
});
df.app.orchestration('countDown', function* (context) {
  const input = context.df.getInput() as { left: number; sum: number };
  const doubled = (yield context.df.callActivity('double', input.left)) as number;
  if (input.left === 0) return input.sum;
  context.df.setCustomStatus({ left: input.left });
  context.df.continueAsNew({ left: input.left - 1, sum: input.sum + doubled });
  return undefined;
});
df.app.orchestration('failing', function* (context) {
  yield context.df.callActivity('fail', 'broken');
});
df.app.orchestration('catching', function* (context) {
  try {
    yield context.df.callActivity('fail', 'broken');
  } catch (error: unknown) {
    return (error as Error).message.split('\n')[0];
  }
});

describe('orchestrations', () => {
  let shim: Shim;
  beforeAll(async () => {
    shim = await startShim();
  });
  afterAll(() => shim.stop());

  async function run(name: string, input?: unknown) {
    const id = await shim.client.startNew(name, { input });
    return waitForStatus(shim.client, id);
  }

  test('a sequence of activities passes each result to the next one', async () => {
    const status = await run('sequence', 5);
    expect(status).toMatchObject({ runtimeStatus: 'Completed', output: 40, input: 5, name: 'sequence' });
  });

  test('Task.all collects all results', async () => {
    expect((await run('fanOut', 200)).output).toBe(39_800);
  });

  test('Task.any returns the first result, and a cancelled timer does not keep the instance open', async () => {
    expect((await run('any')).output).toBe('won');
  });

  test('a timer does not fire before its time, in orchestration time', async () => {
    expect((await run('timer')).output).toBeGreaterThanOrEqual(50);
  });

  test.each([['text'], [{ a: [1, null] }], [0], [''], [true], ['{"looks":"like JSON"}']])(
    'activity input %j arrives unchanged',
    async (value) => {
      expect((await run('echoInput', value)).output).toEqual(value);
    },
  );

  test('a start without input passes an empty string', async () => {
    expect((await run('echoInput')).output).toBe('');
  });

  test('continueAsNew passes the input to the next execution and keeps the custom status', async () => {
    const status = await run('countDown', { left: 3, sum: 0 });
    expect(status).toMatchObject({ output: 12, customStatus: { left: 1 }, input: { left: 0, sum: 12 } });
  });

  test('a failed activity fails its orchestration with an error that contains both names', async () => {
    const status = await run('failing');
    expect(status.runtimeStatus).toBe('Failed');
    expect(status.output).toContain("Orchestrator function 'failing' failed: Activity function 'fail' failed: broken");
  });

  test('a failed activity can be caught', async () => {
    expect((await run('catching')).output).toBe("Activity function 'fail' failed: broken ");
  });
});
