import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import { type Shim, startShim, waitForStatus } from '../../helpers/durable-shim.ts';

df.app.activity('noop', { handler: () => 1 });
df.app.orchestration('three', function* (context) {
  for (let step = 0; step < 3; step++) yield context.df.callActivity('noop');
});

let shim: Shim;
afterEach(() => shim.stop());

const RUNS = 5;

/** Milliseconds that the runs take one after the other, on a backend that was idle before. */
async function timeRuns(delays: 'push' | 'azure'): Promise<number> {
  const config = { storageProvider: { maxQueuePollingInterval: '00:00:00.3' } };
  shim = await startShim({ delays, config });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const begin = performance.now();
  for (let run = 0; run < RUNS; run++) await waitForStatus(shim.client, await shim.client.startNew('three'));
  return performance.now() - begin;
}

test("'azure' waits for polls between steps where 'push' hands work over at once, and each says so", async () => {
  const pushed = await timeRuns('push');
  expect(shim.logs[0]).toContain("delays 'push'");
  await shim.stop();

  const polled = await timeRuns('azure');
  expect(shim.logs[0]).toContain("delays 'azure': queues are polled every 50 ms to 300 ms");
  expect(polled).toBeGreaterThan(pushed);
});
