/** Contender: Graphile Worker on PostgreSQL, one job per item. README.md has the settings and why. */
import { makeWorkerUtils } from 'graphile-worker';
import type { Peer } from '../peer.ts';
import { runPerItem } from '../per-item.ts';
import { PeerThreads } from '../threads.ts';
import { graphilePreset, SCHEMA, TASK } from './settings.ts';

/** Jobs per call of addJobs. */
const ADD_ITEMS = 5_000;

/** Creates the tables and starts the workers. */
export async function openGraphileWorker(postgres: string): Promise<Peer> {
  const utils = await makeWorkerUtils({ preset: graphilePreset(postgres) });
  await utils.migrate();
  const threads = new PeerThreads(new URL('./thread.ts', import.meta.url), postgres);
  await threads.ready();
  return {
    run: runPerItem(threads, ADD_ITEMS, (items) =>
      utils.addJobs(items.map((payload) => ({ identifier: TASK, payload }))),
    ),
    close: async () => {
      await threads.end();
      await utils.withPgClient((client) => client.query(`drop schema ${SCHEMA} cascade`));
      await utils.release();
    },
  };
}
