/** Contender: the same items through the same handler with p-map, as in a script without a queue. */
import { availableParallelism } from 'node:os';
import pMap from 'p-map';
import { callAndWait, waitingItem } from '../app/waiting.ts';
import { waitingLines } from '../stack/data.ts';

/** Runs `items` items in one thread, with the same number in flight as all threads of Sluice together. */
export async function runPMap(items: number, concurrency: number): Promise<void> {
  const run = async (line: string): Promise<string> =>
    JSON.stringify(await callAndWait(waitingItem.parse(JSON.parse(line))));
  await pMap(waitingLines(items), run, { concurrency: concurrency * availableParallelism() });
}
