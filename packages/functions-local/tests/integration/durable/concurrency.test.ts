import { setTimeout as delay } from 'node:timers/promises';
import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import {
  type Around,
  type Shim,
  startShim,
  temporaryStore,
  waitForStatus,
  waitUntil,
} from '../../helpers/durable-shim.ts';

df.app.activity('nap', { handler: () => delay(10) });
df.app.orchestration('naps', function* (context) {
  const tasks = Array.from({ length: 12 }, () => context.df.callActivity('nap'));
  yield context.df.Task.all(tasks);
});

let shim: Shim;
afterEach(() => shim.stop());

/** Starts a host that counts the concurrent invocations of each kind. */
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

test('at most as many activities run at the same time as host.json allows', async () => {
  const most = await startCounting('activity', { maxConcurrentActivityFunctions: 3 });
  await waitForStatus(shim.client, await shim.client.startNew('naps'));
  expect(most()).toBe(3);
});

test('at most as many orchestrator episodes run at the same time as host.json allows', async () => {
  const most = await startCounting('orchestrator', { maxConcurrentOrchestratorFunctions: 2 });
  const ids = await Promise.all(Array.from({ length: 8 }, () => shim.client.startNew('naps')));
  await Promise.all(ids.map((id) => waitForStatus(shim.client, id)));
  expect(most()).toBe(2);
});

test('stop waits for running work, and the next start continues with the rest', async () => {
  const store = temporaryStore();
  const config = { maxConcurrentActivityFunctions: 4 };
  let running = 0;
  let runs = 0;
  const around: Around = async (request, next) => {
    if (request.kind !== 'activity') return next(request);
    running++;
    runs++;
    return next(request).finally(() => running--);
  };
  shim = await startShim({ file: store.file, config, around });
  const id = await shim.client.startNew('naps');
  await waitUntil(() => runs > 4);
  await shim.stop();
  expect(running).toBe(0);
  shim = await startShim({ file: store.file, config, around });
  await waitForStatus(shim.client, id);
  expect(runs).toBe(12);
  store.remove();
});
