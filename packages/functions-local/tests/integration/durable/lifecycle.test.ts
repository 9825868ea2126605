import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus, waitUntil } from '../../helpers/durable-shim.ts';

let finishedActivities = 0;
/** Blocks the activity. By default, it is not blocked. */
let held = Promise.resolve();

df.app.activity('slow', {
  handler: async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await held;
    finishedActivities++;
  },
});
df.app.orchestration('waiter', function* (context) {
  return yield context.df.waitForExternalEvent('go');
});
// biome-ignore lint/correctness/useYield: an orchestrator must be a generator
df.app.orchestration('quick', function* (context) {
  return context.df.getInput();
});
df.app.orchestration('slow-runner', function* (context) {
  yield context.df.callActivity('slow');
});

let shim: Shim;
afterEach(() => shim.stop());

test('a start with a running id is refused and does not change the instance', async () => {
  shim = await startShim();
  await shim.client.startNew('waiter', { instanceId: 'one', input: 'first' });
  await expect(shim.client.startNew('waiter', { instanceId: 'one', input: 'second' })).rejects.toThrow(
    /409.*status Running already exists/,
  );
  expect((await shim.client.getStatus('one')).input).toBe('first');
});

test('a start with a finished id replaces the instance, its history and its output', async () => {
  shim = await startShim();
  await shim.client.startNew('quick', { instanceId: 'one', input: 'first' });
  await waitForStatus(shim.client, 'one');
  await shim.client.startNew('waiter', { instanceId: 'one', input: 'second' });
  const status = await waitForStatus(shim.client, 'one', ['Running']);
  expect(status).toMatchObject({ name: 'waiter', input: 'second', output: null });
});

test('with AnyState, a start replaces a running instance, and its late messages are dropped', async () => {
  shim = await startShim({ config: { overridableExistingInstanceStates: 'AnyState' } });
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  const before = finishedActivities;
  await shim.client.startNew('slow-runner', { instanceId: 'one' });
  await waitForStatus(shim.client, 'one', ['Running']);
  await shim.client.startNew('waiter', { instanceId: 'one' });
  release();
  await waitUntil(() => finishedActivities > before);
  await shim.client.raiseEvent('one', 'go', 'now');
  expect(await waitForStatus(shim.client, 'one')).toMatchObject({ name: 'waiter', output: 'now' });
});

test('exactly one of many starts with one id is accepted', async () => {
  shim = await startShim();
  const starts = Array.from({ length: 10 }, (_, input) => shim.client.startNew('waiter', { instanceId: 'one', input }));
  const results = await Promise.allSettled(starts);
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
});

test.each([['@entity'], ['x'.repeat(101)]])('instance id %s is refused', async (instanceId) => {
  shim = await startShim();
  await expect(shim.client.startNew('waiter', { instanceId })).rejects.toThrow('400');
});

test('an instance of an unknown orchestrator fails', async () => {
  shim = await startShim();
  const status = await waitForStatus(shim.client, await shim.client.startNew('nobody'));
  expect(status.runtimeStatus).toBe('Failed');
  expect(status.output).toContain(
    "The function 'nobody' doesn't exist, is disabled, or is not an orchestrator function.",
  );
});

test('terminate ends the instance, but not its activities', async () => {
  shim = await startShim();
  const before = finishedActivities;
  const id = await shim.client.startNew('slow-runner');
  await waitForStatus(shim.client, id, ['Running']);
  await shim.client.terminate(id, 'enough');
  expect(await waitForStatus(shim.client, id)).toMatchObject({ runtimeStatus: 'Terminated', output: 'enough' });
  await waitUntil(() => finishedActivities > before);
  expect((await shim.client.getStatus(id)).runtimeStatus).toBe('Terminated');
});

test('a suspended instance keeps its events and processes them after it is resumed', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('waiter');
  await waitForStatus(shim.client, id, ['Running']);
  await shim.client.suspend(id, 'pause');
  await waitForStatus(shim.client, id, ['Suspended']);
  await shim.client.raiseEvent(id, 'go', 'kept');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect((await shim.client.getStatus(id)).runtimeStatus).toBe('Suspended');
  await shim.client.resume(id, 'go on');
  expect(await waitForStatus(shim.client, id)).toMatchObject({ runtimeStatus: 'Completed', output: 'kept' });
});

test('a suspended instance can be terminated, and an instance that is not suspended cannot be resumed', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('waiter');
  await waitForStatus(shim.client, id, ['Running']);
  await expect(shim.client.resume(id, '')).rejects.toThrow('500');
  await shim.client.suspend(id, '');
  await waitForStatus(shim.client, id, ['Suspended']);
  await shim.client.terminate(id, 'over');
  expect((await waitForStatus(shim.client, id)).runtimeStatus).toBe('Terminated');
});

test('purge removes one finished instance', async () => {
  shim = await startShim();
  const id = await shim.client.startNew('waiter');
  await waitForStatus(shim.client, id, ['Running']);
  await expect(shim.client.purgeInstanceHistory(id)).rejects.toThrow(/412.*terminal state.*status Running/);
  await shim.client.terminate(id, 'enough');
  await waitForStatus(shim.client, id);
  expect(await shim.client.purgeInstanceHistory(id)).toMatchObject({ instancesDeleted: 1 });
  expect(await shim.client.purgeInstanceHistory(id)).toMatchObject({ instancesDeleted: 0 });
  await expect(shim.client.getStatus(id)).rejects.toThrow('404');
});

test('purge by filter removes only finished instances', async () => {
  shim = await startShim();
  await shim.client.startNew('quick', { instanceId: 'done' });
  await shim.client.startNew('waiter', { instanceId: 'open' });
  await waitForStatus(shim.client, 'done');
  const createdTimeFrom = new Date(Date.now() - 60_000);
  const filter = { createdTimeFrom, runtimeStatus: [df.OrchestrationRuntimeStatus.Failed] };
  expect(await shim.client.purgeInstanceHistoryBy(filter)).toMatchObject({ instancesDeleted: 0 });
  expect(await shim.client.purgeInstanceHistoryBy({ createdTimeFrom })).toMatchObject({ instancesDeleted: 1 });
  expect(await shim.client.getStatusAll()).toHaveLength(1);
  await expect(shim.client.purgeInstanceHistoryBy({})).rejects.toThrow(/400.*createdTimeFrom/);
});
