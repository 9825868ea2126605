/** A worker thread of Graphile Worker. */
import { run } from 'graphile-worker';
import { handleItem } from '../../contenders/handle.ts';
import { serveThread } from '../serve-thread.ts';
import { graphilePreset, TASK } from './settings.ts';

await serveThread(async ({ server, totals, handled, failed }) => {
  const runner = await run({
    preset: graphilePreset(server),
    taskList: { [TASK]: (payload) => handleItem(payload, totals()) },
  });
  runner.events.on('job:complete', () => handled(1));
  runner.events.on('job:error', ({ error }) => failed(error));
  return () => runner.stop();
});
