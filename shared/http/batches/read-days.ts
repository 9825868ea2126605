/** Reads the batches of some days for sums over them. */
import { isFinished } from '../../batches/batch-row.ts';
import { readBatch } from '../../batches/ledger.ts';
import { batchesOfDays, type IndexEntry, indexEntryOf } from '../../batches/listing/index-rows.ts';
import { openIds } from '../../batches/listing/listing.ts';
import { batchDate } from '../../contract/names.ts';
import { weeksOf } from '../../days.ts';
import { inParallel } from '../../parallel.ts';
import type { Table } from '../../storage/table.ts';
import type { Days } from '../edge/days.ts';

/** The batches to read: of all workloads by default, and also those without dead letters. */
export interface DaysQuery extends Days {
  /** Lines are read week by week, newest first, up to this number. Each thousand is one operation. */
  maxLines: number;
  workload?: string | undefined;
  only?: 'dead';
}

type Add = (entry: IndexEntry) => void;

/** Each open batch is read by one operation: it may have no line in the listing, or an outdated one. */
export const MAX_OPEN = 500;
const READS_AT_ONCE = 16;

/** Reads the lines of the listing. Returns the first day that was read: later than `from` if there are too many lines. */
export async function readLines(
  table: Table,
  { from, to, maxLines, workload, ...filter }: DaysQuery,
  add: Add,
): Promise<string> {
  const workloads = workload === undefined ? undefined : [workload];
  let [oldest, lines] = [to, 0];
  for (const week of weeksOf({ from, to })) {
    oldest = week.first;
    for await (const entry of batchesOfDays(table, { ...week, ...filter, workloads })) {
      lines += 1;
      add(entry);
    }
    if (lines >= maxLines) break;
  }
  return oldest;
}

/**
 * Reads finished batches by their lines and open ones by their rows, at most 500, newest first. `notScanned` is the number of
 * other open batches of these days.
 */
export async function readBatches(
  table: Table,
  query: DaysQuery,
  add: Add,
): Promise<{ from: string; notScanned: number }> {
  const open = await openIds(table, query.workload);
  const from = await readLines(table, query, (entry) => {
    if (!isFinished(entry.state)) open.add(entry.id);
    else if (!open.has(entry.id)) add(entry);
  });
  const isWanted = (id: string): boolean => batchDate(id) >= from && batchDate(id) <= query.to;
  const wanted = [...open].filter(isWanted).sort((a, b) => (a < b ? 1 : -1));
  const read = await inParallel(wanted.slice(0, MAX_OPEN), READS_AT_ONCE, (id) => readBatch(table, id));
  for (const found of read) if (found && found.row.deletingAt === undefined) add(indexEntryOf(found.row));
  return { from, notScanned: Math.max(0, wanted.length - MAX_OPEN) };
}
