/** Reads the open batches for monitoring: one query, and the rows of those whose deadline is nearest. */
import { inParallel } from '../../parallel.ts';
import type { Table } from '../../storage/table.ts';
import { type BatchRow, isFinished, pendingItems } from '../batch-row.ts';
import { readBatch } from '../ledger.ts';
import { type OpenBatch, openBatches } from '../listing/open-rows.ts';

/** Maximum number of rows per request. Other batches are shown as they were at their opening. */
export const MAX_ROWS_READ = 200;
/** How long a process uses a row that it has read. */
const ROW_MS = 10_000;
const READS_AT_ONCE = 16;

/** An open batch. `row` is undefined if it was not read because other batches have an earlier deadline. */
export interface WatchedBatch extends OpenBatch {
  row: BatchRow | undefined;
}

export interface WatchedBatches {
  batches: WatchedBatch[];
  read: number;
}

/** Returns the open batches. `fresh` ignores the memo. */
export type ReadOpenBatches = (options?: { fresh?: boolean }) => Promise<WatchedBatches>;

/** Creates the reader, which keeps rows for 10 s. `now` returns service time in milliseconds. */
export function createOpenBatchReader(table: Table, now: () => number): ReadOpenBatches {
  let known = new Map<string, { row: BatchRow; atMs: number }>();
  const readRow = async (id: string, atMs: number) => {
    const found = await readBatch(table, id);
    return found && { row: found.row, atMs };
  };
  return async ({ fresh = false } = {}) => {
    const open = await latestRevisions(table);
    const kept: typeof known = new Map();
    const rows = await inParallel(open.slice(0, MAX_ROWS_READ), READS_AT_ONCE, async ({ id, revision }) => {
      const memo = known.get(id);
      // If the open row has a newer revision than the memo, the batch was redriven.
      const isRecent = memo !== undefined && now() - memo.atMs < ROW_MS && memo.row.revision >= revision;
      const read = !fresh && isRecent ? memo : await readRow(id, now());
      if (read) kept.set(id, read);
      return read?.row;
    });
    known = kept;
    const batches = open.map((batch, n) => ({ ...batch, row: rows[n] }));
    // Without a row, the batch is not accepted yet, or never was.
    const accepted = batches.filter(({ row }, n) => row !== undefined || n >= MAX_ROWS_READ);
    return { batches: accepted, read: kept.size };
  };
}

/** A batch that is redriven as it ends has two open rows; the latest one counts. */
async function latestRevisions(table: Table): Promise<OpenBatch[]> {
  const latest = new Map<string, OpenBatch>();
  for await (const open of openBatches(table)) latest.set(open.id, open);
  return [...latest.values()].sort((a, b) => (a.deadlineAt < b.deadlineAt ? -1 : 1));
}

/** Returns the items of an open batch that have no outcome yet; for a batch that was not read, its items at the opening. */
export function pendingOf({ row, items }: WatchedBatch): number {
  if (row === undefined) return items;
  return isFinished(row.state) ? 0 : pendingItems(row);
}
