/**
 * A separate process for the crash tests: `<store file> <journal file> [delays]`. Prints a line when an instance is finished.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as df from 'durable-functions';
import { startShim, waitForStatus } from './durable-shim.ts';

const [, , file = '', journal = '', delays = 'push'] = process.argv;
const instanceId = 'crash';

df.app.activity('work', {
  handler: async (item: number) => {
    appendFileSync(journal, `start ${item} ${Date.now()}\n`);
    // The test polls: the other activities must still be running when it detects the tenth completion, also on a busy
    // machine.
    await delay(delays === 'azure' ? 60 : 10);
    appendFileSync(journal, `end ${item} ${Date.now()}\n`);
    return item;
  },
});
df.app.orchestration('fanOut', function* (context) {
  const tasks = Array.from({ length: 60 }, (_, item) => context.df.callActivity('work', item));
  const results = (yield context.df.Task.all(tasks)) as number[];
  yield context.df.createTimer(new Date(context.df.currentUtcDateTime.getTime() + 20));
  return results.reduce((sum, item) => sum + item, 0);
});

const shim = await startShim({
  file,
  delays: delays === 'azure' ? 'azure' : 'push',
  config: {
    maxConcurrentActivityFunctions: 4,
    storageProvider: { maxQueuePollingInterval: '00:00:00.1', workItemQueueVisibilityTimeout: '00:00:02' },
  },
});
const known = await shim.client.getStatusAll();
if (known.length === 0) await shim.client.startNew('fanOut', { instanceId });
const { output, runtimeStatus } = await waitForStatus(shim.client, instanceId);
console.log(JSON.stringify({ output, runtimeStatus }));
await shim.stop();
