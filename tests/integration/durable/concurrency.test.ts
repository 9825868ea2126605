import { setTimeout as delay } from 'node:timers/promises';
import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus } from '../../helpers/durable-shim.ts';

df.app.activity('nap', { handler: () => delay(10) });
df.app.orchestration('naps', function* (context) {
  const tasks = Array.from({ length: 12 }, () => context.df.callActivity('nap'));
  yield context.df.Task.all(tasks);
});

let shim: Shim;
afterEach(() => shim.stop());

/** Starts a host that counts how many invocations of a kind run at once. */
async function startCounting(kind: 'activity' | 'orchestrator', config: Record<string, unknown>) {
  let now = 0;
  let most = 0;
  shim = await startShim({
    config,
    around: async (request, next) => {
      if (request.kind !== kind) return next(request);
      most = Math.max(most, ++now);
      await delay(5);
      return next(request).finally(() => now--);
    },
  });
  return () => most;
}

test('never more activities at once than host.json allows', async () => {
  const most = await startCounting('activity', { maxConcurrentActivityFunctions: 3 });
  await waitForStatus(shim.client, await shim.client.startNew('naps'));
  expect(most()).toBe(3);
});

test('never more orchestrator turns at once than host.json allows', async () => {
  const most = await startCounting('orchestrator', { maxConcurrentOrchestratorFunctions: 2 });
  const ids = await Promise.all(Array.from({ length: 8 }, () => shim.client.startNew('naps')));
  await Promise.all(ids.map((id) => waitForStatus(shim.client, id)));
  expect(most()).toBe(2);
});

test('stop waits for what runs, and the next start goes on', async () => {
  const most = await startCounting('activity', { maxConcurrentActivityFunctions: 4 });
  await shim.client.startNew('naps');
  await delay(15);
  await shim.stop(1_000);
  expect(most()).toBeGreaterThan(0);
});
