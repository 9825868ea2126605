/**
 * The part of drains that a batch pays. A batch records how many of its chunks each drain has finished, and pays for a
 * drain in proportion to its chunks among those of the drain. Pure.
 */
import { addOperations, type Operations } from '../../contract/operations.ts';
import { timesOperations } from '../times-operations.ts';
import { type DrainRecord, readDrainRecord } from './drain-spending.ts';

/** Chunks of a batch that a drain has finished. With `last`, those of all drains from `generation` to `last`. */
export type BatchDrain = readonly [generation: number, chunks: number, last?: number];

/** The chunks of a batch by queue, in the order of the drains that have finished them. */
export type BatchDrains = Readonly<Record<string, readonly BatchDrain[]>>;

/**
 * Drains of one queue that a batch distinguishes, of about 8 to 15 characters each. If there are more, the oldest two
 * are combined: this changes nothing for a batch that runs alone; for others, the part is calculated over several
 * drains together. A batch can have 33 queues, and their drains are one property of its row: 32,768 characters at most
 * (learn.microsoft.com/rest/api/storageservices/understanding-the-table-service-data-model).
 */
const MAX_BATCH_DRAINS = 32;

/** Adds chunks that a drain has finished. */
export function addDrainChunks(
  own: BatchDrains,
  { queue, generation, chunks }: { queue: string; generation: number; chunks: number },
): BatchDrains {
  const drains = own[queue] ?? [];
  const index = drains.findLastIndex(([first, , last = first]) => first <= generation && generation <= last);
  const [first = generation, before = 0, last] = drains[index] ?? [];
  const entry: BatchDrain = last === undefined ? [first, before + chunks] : [first, before + chunks, last];
  const all = index < 0 ? [...drains, entry].sort(([a], [b]) => a - b) : drains.with(index, entry);
  return { ...own, [queue]: all.length > MAX_BATCH_DRAINS ? joined(all) : all };
}

function joined([a, b, ...rest]: readonly BatchDrain[]): BatchDrain[] {
  if (a === undefined || b === undefined) return rest;
  return [[a[0], a[1] + b[1], b[2] ?? b[0]], ...rest];
}

/**
 * Returns what a batch pays for the drains that have finished its chunks. `recordsOf` returns the drains of a queue in
 * the order of their generations, each once.
 */
export function partOfDrains(own: BatchDrains, recordsOf: (queue: string) => readonly DrainRecord[]): Operations {
  let paid: Operations = {};
  for (const [queue, drains] of Object.entries(own)) {
    const records = recordsOf(queue);
    for (const [first, chunks, last = first] of drains) {
      const range = records.slice(indexFrom(records, first), indexFrom(records, last + 1)).map(readDrainRecord);
      const total = range.reduce((sum, drain) => sum + drain.chunks, 0);
      const part = Math.min(1, chunks / Math.max(1, total));
      const spent = range.map(({ operations }) => operations).reduce(addOperations, {});
      paid = addOperations(paid, timesOperations(spent, part));
    }
  }
  return paid;
}

/**
 * Returns the index of the first record of `generation` or later. A binary search, because a history does this for each
 * batch.
 */
function indexFrom(records: readonly DrainRecord[], generation: number): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((records[middle]?.[0] ?? 0) < generation) low = middle + 1;
    else high = middle;
  }
  return low;
}
