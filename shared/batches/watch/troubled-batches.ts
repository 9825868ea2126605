import { batchTimeMs } from '../../contract/names.ts';
import { addDays, dateOf } from '../../days.ts';
import type { Table } from '../../storage/table.ts';
import { batchesOfDays, type IndexEntry } from '../listing/index-rows.ts';

/** Maximum number of lines per request: ten operations. */
const MAX_TROUBLED = 10_000;

/** Batches with dead letters, suspect batches, and batches whose report failed, from their lines. */
export interface TroubledBatches {
  batches: IndexEntry[];
  /** Whether these are all; otherwise they are the newest. */
  isWhole: boolean;
}

/**
 * Reads the lines of batches created since `sinceMs` (at most a few days ago) that an operator may have to check,
 * newest first: one query per day.
 */
export async function readTroubled(
  table: Table,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<TroubledBatches> {
  const batches: IndexEntry[] = [];
  for (let day = dateOf(nowMs); day >= dateOf(sinceMs); day = addDays(day, -1)) {
    for await (const entry of batchesOfDays(table, { first: day, last: day, only: 'trouble' })) {
      if (batchTimeMs(entry.id) < sinceMs) break;
      if (batches.length === MAX_TROUBLED) return { batches, isWhole: false };
      batches.push(entry);
    }
  }
  return { batches, isWhole: true };
}
