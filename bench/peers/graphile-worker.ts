/** Contender: Graphile Worker on PostgreSQL, one job per item. README.md has the settings and why. */
import { makeWorkerUtils } from 'graphile-worker';
import { readGroups } from '../contenders/read-blocks.ts';
import { graphilePreset, SCHEMA, TASK } from './graphile-settings.ts';
import type { Peer } from './peer.ts';
import { PeerThreads } from './threads.ts';

/** Jobs per call of addJobs. */
const ADD_ITEMS = 5_000;

/** Creates the tables and starts the workers. */
export async function openGraphileWorker(postgres: string): Promise<Peer> {
  const utils = await makeWorkerUtils({ preset: graphilePreset(postgres) });
  await utils.migrate();
  const threads = new PeerThreads(new URL('./graphile-thread.ts', import.meta.url), postgres);
  await threads.ready();
  return {
    run: async (file) => {
      let items = 0;
      for await (const group of readGroups(file, ADD_ITEMS)) {
        items += group.length;
        await utils.addJobs(group.map((line) => ({ identifier: TASK, payload: JSON.parse(line) })));
      }
      await threads.finish(items);
      return { items, totals: await threads.totals() };
    },
    close: async () => {
      await threads.end();
      await utils.withPgClient((client) => client.query(`drop schema ${SCHEMA} cascade`));
      await utils.release();
    },
  };
}
