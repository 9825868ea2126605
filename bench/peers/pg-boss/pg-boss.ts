/** Contender: pg-boss on PostgreSQL, one job per item. README.md has the settings and why. */
import { PgBoss } from 'pg-boss';
import type { Peer } from '../peer.ts';
import { runPerItem } from '../per-item.ts';
import { PeerThreads } from '../threads.ts';
import { bossOptions, QUEUE } from './settings.ts';

/** Jobs per insert. */
const INSERT_ITEMS = 5_000;

/** Creates the queue and starts its workers. */
export async function openPgBoss(postgres: string): Promise<Peer> {
  const boss = new PgBoss(bossOptions(postgres));
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  const threads = new PeerThreads(new URL('./thread.ts', import.meta.url), postgres);
  await threads.ready();
  return {
    run: runPerItem(threads, INSERT_ITEMS, (items) =>
      boss.insert(
        QUEUE,
        items.map((data) => ({ data })),
      ),
    ),
    close: async () => {
      await threads.end();
      await boss.deleteQueue(QUEUE);
      await boss.stop();
    },
  };
}
