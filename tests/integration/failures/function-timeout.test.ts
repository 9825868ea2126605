import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, send } from '../../helpers/client.ts';
import { buildOddApp, oddItems } from '../../helpers/odd-app.ts';
import { type SlowServer, startSlowServer } from '../../helpers/servers/slow-server.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

/** An item must begin in the first 14 seconds of an invocation, before its time limit of 10 and the margin of 30. */
const FUNCTION_SECONDS = 54;
const ITEM_MS = 7_000;
const ITEMS = 10;

let stack: TestStack;
let server: SlowServer;
beforeAll(async () => {
  server = await startSlowServer();
  const appFolder = await buildOddApp('odd-limit', { functionSeconds: FUNCTION_SECONDS });
  const settings = { SLUICE_THREADS: '1', SLUICE_INBOX_SCHEDULE: '' };
  stack = await startStack({ appFolder, settings, instances: 1 });
});
afterAll(async () => {
  await stack?.stop();
  server?.stop();
});

it('tasks that wait for one thread never exceed functionTimeout, and call each item once', async () => {
  const pid = stack.instances[0]?.process.pid;
  const slow = Object.fromEntries(
    Array.from({ length: ITEMS }, (_, n) => [n, { do: 'visit', url: server.url, ms: ITEM_MS }]),
  );

  const batch = await finished(stack, (await send(stack, 'patient', oddItems(ITEMS, slow))).id, 200);

  expect(batch.counts).toMatchObject({ accepted: ITEMS, succeeded: ITEMS, dead: 0, retried: 0 });
  expect(server.calls.map(({ n }) => n).sort()).toEqual(Array.from({ length: ITEMS }, (_, n) => n));
  expect(stack.instances[0]?.process.pid).toBe(pid);
});
