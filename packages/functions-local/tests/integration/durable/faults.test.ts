import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import type { FaultPhase } from '../../../src/durable/types.ts';
import { type Shim, startShim, waitForStatus, waitUntil } from '../../helpers/durable-shim.ts';

let runs = 0;

df.app.activity('count', {
  handler: () => {
    runs++;
    return runs;
  },
});
df.app.orchestration('counting', function* (context) {
  return yield context.df.callActivity('count');
});
df.app.orchestration('waiter', function* (context) {
  return yield context.df.waitForExternalEvent('go');
});

let shim: Shim;
afterEach(() => shim.stop());

/** Fails the first call of the operation in that phase. */
function failOnce(operation: string, phase: FaultPhase) {
  let failed = false;
  return (calledOperation: string, calledPhase: FaultPhase) => {
    if (failed || calledOperation !== operation || calledPhase !== phase) return;
    failed = true;
    throw new Error('injected');
  };
}

test('a start that fails before its effect starts no instance', async () => {
  shim = await startShim({ fault: failOnce('startNew', 'before') });
  await expect(shim.client.startNew('waiter', { instanceId: 'one' })).rejects.toThrow(/500.*injected/);
  expect(await shim.client.getStatusAll()).toEqual([]);
});

test('a start that fails after its effect starts the instance, but its answer is lost', async () => {
  shim = await startShim({ fault: failOnce('startNew', 'after') });
  await expect(shim.client.startNew('waiter', { instanceId: 'one' })).rejects.toThrow();
  await waitForStatus(shim.client, 'one', ['Running']);
});

test('an activity whose completion is lost runs again', async () => {
  shim = await startShim({ fault: failOnce('activity-completed', 'before') });
  runs = 0;
  const status = await waitForStatus(shim.client, await shim.client.startNew('counting'));
  expect(status.output).toBe(2);
});

test('an activity whose completion is stored runs once, even if the answer is lost', async () => {
  shim = await startShim({ fault: failOnce('activity-completed', 'after') });
  runs = 0;
  await waitForStatus(shim.client, await shim.client.startNew('counting'));
  expect(runs).toBe(1);
});

test.each(['before', 'after'] as const)(
  'an episode that fails %s its effect leads to the same result',
  async (phase) => {
    shim = await startShim({ fault: failOnce('episode', phase) });
    runs = 0;
    const status = await waitForStatus(shim.client, await shim.client.startNew('counting'));
    expect(status).toMatchObject({ runtimeStatus: 'Completed', output: 1 });
  },
);

test.each(['raiseEvent', 'terminate', 'suspend'] as const)(
  '%s that fails before its effect changes nothing',
  async (operation) => {
    shim = await startShim({ fault: failOnce(operation, 'before') });
    const id = await shim.client.startNew('waiter');
    await waitForStatus(shim.client, id, ['Running']);
    const calls = {
      raiseEvent: () => shim.client.raiseEvent(id, 'go', 1),
      terminate: () => shim.client.terminate(id, ''),
      suspend: () => shim.client.suspend(id, ''),
    };
    await expect(calls[operation]()).rejects.toThrow(/500.*injected/);
    expect((await shim.client.getStatus(id)).runtimeStatus).toBe('Running');
  },
);

test('purge that fails before its effect changes nothing', async () => {
  shim = await startShim({ fault: failOnce('purge', 'before') });
  const id = await shim.client.startNew('counting');
  await waitForStatus(shim.client, id);
  await expect(shim.client.purgeInstanceHistory(id)).rejects.toThrow(/500.*injected/);
  expect((await shim.client.getStatus(id)).runtimeStatus).toBe('Completed');
});

test('an event arrives even if the answer to it is lost', async () => {
  shim = await startShim({ fault: failOnce('raiseEvent', 'after') });
  const id = await shim.client.startNew('waiter');
  await expect(shim.client.raiseEvent(id, 'go', 'there')).rejects.toThrow();
  expect((await waitForStatus(shim.client, id)).output).toBe('there');
});

test('the hook is called for every kind of change', async () => {
  const seen = new Set<string>();
  shim = await startShim({ fault: (operation) => void seen.add(operation) });
  const id = await shim.client.startNew('counting');
  await waitForStatus(shim.client, id);
  const waiting = await shim.client.startNew('waiter');
  await shim.client.suspend(waiting, '');
  await waitForStatus(shim.client, waiting, ['Suspended']);
  await shim.client.resume(waiting, '');
  await shim.client.raiseEvent(waiting, 'other', 1);
  await shim.client.terminate(waiting, '');
  await waitForStatus(shim.client, waiting);
  await shim.client.purgeInstanceHistory(id);
  await waitUntil(() => seen.size === 8);
  expect([...seen].sort()).toEqual(
    ['activity-completed', 'purge', 'raiseEvent', 'resume', 'startNew', 'suspend', 'terminate', 'episode'].sort(),
  );
});
