import * as df from 'durable-functions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus, waitUntil } from '../../helpers/durable-shim.ts';

df.app.orchestration('child', function* (context) {
  const input = context.df.getInput() as { fail?: boolean };
  yield context.df.createTimer(context.df.currentUtcDateTime);
  if (input.fail) throw new Error('child broke');
  return { parent: context.df.parentInstanceId, version: context.df.version };
});
df.app.orchestration('waiter', function* (context) {
  return yield context.df.waitForExternalEvent('go');
});
df.app.orchestration('parent', function* (context) {
  return yield context.df.callSubOrchestrator('child', context.df.getInput());
});
df.app.orchestration('parentOfVersion', function* (context) {
  return yield context.df.callSubOrchestrator('child', {}, undefined, '0.9');
});
df.app.orchestration('catchingParent', function* (context) {
  try {
    yield context.df.callSubOrchestrator('child', { fail: true });
  } catch (error: unknown) {
    return (error as Error).message;
  }
});
df.app.orchestration('parentOfWaiter', function* (context) {
  try {
    return yield context.df.callSubOrchestrator('waiter', {}, context.df.getInput());
  } catch (error: unknown) {
    return (error as Error).message;
  }
});
df.app.orchestration('manyChildren', function* (context) {
  const tasks = Array.from({ length: 20 }, () => context.df.callSubOrchestrator('child', {}));
  return ((yield context.df.Task.all(tasks)) as unknown[]).length;
});

let shim: Shim;
beforeAll(async () => {
  shim = await startShim({ config: { defaultVersion: '1.0' } });
});
afterAll(() => shim.stop());

async function run(name: string, input?: unknown) {
  return waitForStatus(shim.client, await shim.client.startNew(name, { input }));
}

test('a child knows its parent and returns its result', async () => {
  const status = await run('parent', {});
  expect(status.output).toEqual({ parent: status.instanceId, version: '1.0' });
});

test('a child runs with the version that its parent specifies', async () => {
  expect((await run('parentOfVersion')).output).toMatchObject({ version: '0.9' });
});

test('many children run concurrently', async () => {
  expect((await run('manyChildren')).output).toBe(20);
});

test('the error of a failed child reaches its parent', async () => {
  const { output } = await run('catchingParent');
  expect(output).toContain("Orchestrator function 'child' failed: child broke");
});

test('as on Azure, a terminated child fails its parent, which cannot catch it', async () => {
  const id = await shim.client.startNew('parentOfWaiter', { input: 'ended-child' });
  await waitUntil(async () => (await shim.client.getStatusAll()).some((child) => child.instanceId === 'ended-child'));
  await waitForStatus(shim.client, 'ended-child', ['Running']);
  await shim.client.terminate('ended-child', 'enough');
  const status = await waitForStatus(shim.client, id);
  expect(status.runtimeStatus).toBe('Failed');
  expect(status.output).toContain('could not parse its exception data');
});

test('a child id that is already running fails the call instead of hanging', async () => {
  await shim.client.startNew('waiter', { instanceId: 'busy-child' });
  const { output } = await run('parentOfWaiter', 'busy-child');
  expect(output).toContain("'busy-child' is already running");
  await shim.client.terminate('busy-child', '');
});
