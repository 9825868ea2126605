import * as df from 'durable-functions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus } from '../../helpers/durable-shim.ts';

const calls: string[] = [];

df.app.activity('failsTimes', {
  handler: (input: { key: string; failures: number }) => {
    calls.push(input.key);
    if (calls.filter((key) => key === input.key).length <= input.failures) throw new Error('not yet');
    return 'done';
  },
});

const options = new df.RetryOptions(10, 3);

df.app.orchestration('retrying', function* (context) {
  return yield context.df.callActivityWithRetry('failsTimes', options, context.df.getInput());
});
df.app.orchestration('retryingBoth', function* (context) {
  const input = context.df.getInput() as { key: string };
  const tasks = ['a', 'b'].map((part) =>
    context.df.callActivityWithRetry('failsTimes', options, { key: input.key + part, failures: part === 'a' ? 2 : 0 }),
  );
  return yield context.df.Task.all(tasks);
});
df.app.orchestration('retryTimeout', function* (context) {
  const limited = new df.RetryOptions(10, 5);
  limited.retryTimeoutInMilliseconds = 1;
  yield context.df.callActivityWithRetry('failsTimes', limited, { key: 'timeout', failures: 9 });
});
df.app.orchestration('childFailsTimes', function* (context) {
  return yield context.df.callActivity('failsTimes', context.df.getInput());
});
df.app.orchestration('retryingChild', function* (context) {
  return yield context.df.callSubOrchestratorWithRetry(
    'childFailsTimes',
    options,
    context.df.getInput(),
    'retried-child',
  );
});

let shim: Shim;
beforeAll(async () => {
  shim = await startShim();
});
afterAll(() => shim.stop());

async function run(name: string, input?: unknown) {
  return waitForStatus(shim.client, await shim.client.startNew(name, { input }));
}

async function historyOf(instanceId: string) {
  const response = await fetch(`${shim.baseUrl}/runtime/webhooks/durabletask/instances/${instanceId}?showHistory=true`);
  const body = (await response.json()) as { historyEvents: { EventType: string }[] };
  return body.historyEvents.map((event) => event.EventType);
}

test('an activity is retried until it succeeds', async () => {
  const status = await run('retrying', { key: 'twice', failures: 2 });
  expect(status).toMatchObject({ runtimeStatus: 'Completed', output: 'done' });
  expect(calls.filter((key) => key === 'twice')).toHaveLength(3);
});

test('the last failed attempt of a retry is followed by one more timer', async () => {
  const status = await run('retrying', { key: 'never', failures: 9 });
  expect(status.runtimeStatus).toBe('Failed');
  expect(status.output).toContain("Activity function 'failsTimes' failed: not yet");
  const types = await historyOf(status.instanceId);
  expect(types.filter((type) => type === 'TaskFailed')).toHaveLength(3);
  expect(types.filter((type) => type === 'TimerFired')).toHaveLength(3);
});

test('concurrent retries do not mix up their results', async () => {
  expect((await run('retryingBoth', { key: 'both' })).output).toEqual(['done', 'done']);
});

test('a sub-orchestration is retried with the same id', async () => {
  expect((await run('retryingChild', { key: 'child', failures: 1 })).output).toBe('done');
  expect((await shim.client.getStatus('retried-child')).runtimeStatus).toBe('Completed');
});

test('an elapsed retry timeout, which hangs indefinitely on Azure, fails the instance with an error', async () => {
  const status = await run('retryTimeout');
  expect(status.runtimeStatus).toBe('Failed');
  expect(status.output).toContain('retryTimeoutInMilliseconds');
});
