import { readGroups } from '../contenders/script/read-blocks.ts';
import type { Peer } from './peer.ts';
import type { PeerThreads } from './threads.ts';

/**
 * Runs an upload with one job per item. `add` adds the jobs of at most `atOnce` items; the threads keep their totals in
 * memory.
 */
export const runPerItem =
  (threads: PeerThreads, atOnce: number, add: (items: object[]) => Promise<unknown>): Peer['run'] =>
  async (file) => {
    let items = 0;
    for await (const group of readGroups(file, atOnce)) {
      items += group.length;
      await add(group.map((line) => JSON.parse(line)));
    }
    await threads.finish(items);
    return { items, totals: await threads.totals() };
  };
