import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus } from '../../helpers/durable-shim.ts';

df.app.activity('double', { handler: (value: number) => value * 2 });
df.app.orchestration('three', function* (context) {
  let value = 1;
  for (let step = 0; step < 3; step++) value = yield context.df.callActivity('double', value);
  return value;
});

let shim: Shim;
afterEach(() => shim.stop());

// tests/unit/durable/dispatch/polling-pacer.test.ts tests when a queue is polled.
test.each([
  ['push', "delays 'push': work is dispatched immediately"],
  ['azure', "delays 'azure': queues are polled every 50 ms to 300 ms"],
] as const)('a backend with delays %s logs them, and an orchestration completes', async (delays, said) => {
  shim = await startShim({ delays, config: { storageProvider: { maxQueuePollingInterval: '00:00:00.3' } } });
  expect(shim.logs[0]).toContain(said);
  const status = await waitForStatus(shim.client, await shim.client.startNew('three'));
  expect(status.output).toBe(8);
});
