import * as df from 'durable-functions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus, waitUntil } from '../../helpers/durable-shim.ts';

const windowRuns: number[] = [];
const allRuns: string[] = [];

df.app.activity('inWindow', {
  handler: (item: number) => {
    windowRuns[item] = (windowRuns[item] ?? 0) + 1;
    return item;
  },
});
df.app.activity('named', {
  handler: (name: string) => {
    allRuns.push(name);
  },
});
df.app.orchestration('slidingWindow', function* (context) {
  const running = [0, 1, 2].map((item) => context.df.callActivity('inWindow', item) as df.Task);
  const results: unknown[] = [];
  for (let next = 3; running.length > 0; next++) {
    const winner = (yield context.df.Task.any(running)) as df.Task;
    results.push(winner.result);
    const added = next < 6 ? [context.df.callActivity('inWindow', next)] : [];
    running.splice(running.indexOf(winner), 1, ...added);
  }
  return results;
});
df.app.orchestration('allOfDone', function* (context) {
  const task = context.df.callActivity('named', 'all-of-done');
  yield task;
  yield context.df.Task.all([task]);
});
df.app.activity('nap', {
  handler: async (ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    allRuns.push(`nap ${ms}`);
    return ms;
  },
});
df.app.activity('die', {
  handler: () => {
    throw new Error('The worker has died.');
  },
});
df.app.orchestration('restOfAll', function* (context) {
  const tasks = [context.df.callActivity('nap', 40), context.df.callActivity('die'), context.df.callActivity('nap', 1)];
  try {
    return yield context.df.Task.all(tasks);
  } catch {
    return [yield tasks[0] as df.Task, yield tasks[2] as df.Task];
  }
});
df.app.orchestration('unknownActivity', function* (context) {
  yield context.df.callActivity('nobody');
});
df.app.orchestration('unknownChild', function* (context) {
  yield context.df.callSubOrchestrator('nobody');
});
df.app.orchestration('entity', function* (context) {
  yield context.df.callEntity(new df.EntityId('counter', 'one'), 'get');
});
df.app.orchestration('signal', function* (context) {
  context.df.signalEntity(new df.EntityId('counter', 'one'), 'add');
  yield context.df.callActivity('named', 'signal');
});
df.app.orchestration('http', function* (context) {
  yield context.df.callHttp({ method: 'GET', url: 'http://127.0.0.1/' });
});
// biome-ignore lint/correctness/useYield: it fails before it would yield
df.app.orchestration('emptyError', function* () {
  throw new Error('');
});
const OPEN_TIMER_MS = 500;
df.app.orchestration('openTask', function* (context) {
  yield context.df.Task.any([
    context.df.createTimer(new Date(context.df.currentUtcDateTime.getTime() + OPEN_TIMER_MS)),
    context.df.callActivity('named', 'open-task'),
  ]);
  return 'returned early';
});
df.app.orchestration('idle', function* (context) {
  yield context.df.waitForExternalEvent('never');
});

let shim: Shim;
beforeAll(async () => {
  shim = await startShim();
});
afterAll(() => shim.stop());

async function run(name: string) {
  return waitForStatus(shim.client, await shim.client.startNew(name));
}

test('as on Azure, a window of tasks with Task.any runs items twice and mixes up results', async () => {
  expect((await run('slidingWindow')).output).toEqual([0, 1, 2, 3, 1, 2]);
  expect(windowRuns.reduce((sum, runs) => sum + runs, 0)).toBeGreaterThan(6);
});

test('as on Azure, Task.all of a finished task schedules it again and never finishes', async () => {
  const id = await shim.client.startNew('allOfDone');
  await waitUntil(() => allRuns.filter((name) => name === 'all-of-done').length === 2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await shim.client.getStatus(id)).runtimeStatus).toBe('Running');
  await shim.client.terminate(id, 'seen');
});

test('the other tasks of a failed Task.all can be awaited one by one and run once', async () => {
  expect((await run('restOfAll')).output).toEqual([40, 1]);
  expect(allRuns.filter((name) => name.startsWith('nap')).sort()).toEqual(['nap 1', 'nap 40']);
});

test('an instance with an open timer stays Running after its function has returned', async () => {
  const begin = Date.now();
  const id = await shim.client.startNew('openTask');
  const { output } = await waitForStatus(shim.client, id);
  expect(output).toBe('returned early');
  // The function returned as soon as the activity was finished.
  expect(Date.now() - begin).toBeGreaterThanOrEqual(OPEN_TIMER_MS);
});

test.each([
  ['unknownActivity', "activity function 'nobody' does not exist"],
  ['unknownChild', "orchestrator function 'nobody' does not exist"],
  ['entity', 'Entities (callEntity) are not supported by the local durable backend'],
  ['signal', 'Entities (signalEntity) are not supported by the local durable backend'],
  ['http', 'callHttp is not supported by the local durable backend'],
  ['emptyError', 'error without a message'],
])('orchestration %s fails with a text that contains the cause', async (name, text) => {
  const status = await run(name);
  expect(status.runtimeStatus).toBe('Failed');
  expect(status.output).toContain(text);
});

test('entity routes, rewind and restart are refused with an error', async () => {
  const id = await shim.client.startNew('idle');
  const entity = new df.EntityId('counter', 'one');
  await expect(shim.client.readEntityState(entity)).rejects.toThrow(/501.*Durable entities/);
  await expect(shim.client.signalEntity(entity, 'add')).rejects.toThrow(/501.*Durable entities/);
  await expect(shim.client.rewind(id, 'why')).rejects.toThrow('rewind: not supported by the local durable backend');
  const restart = await fetch(`${shim.baseUrl}/runtime/webhooks/durabletask/instances/${id}/restart`, {
    method: 'POST',
  });
  expect(restart.status).toBe(501);
});
