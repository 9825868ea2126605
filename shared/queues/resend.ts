import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { chunkRows } from '../batches/ledger.ts';
import { groupsOfSource } from '../groups-of.ts';
import { type EnqueueDeps, enqueue } from './enqueue.ts';
import type { Services } from './services.ts';

const ROWS_PER_GROUP = 500;

export interface ResendOptions {
  /** Selects pending rows. Defaults to all. */
  isWanted?: (row: ChunkRow) => Promise<boolean>;
  /** Whether the time is up; called before each further group of 500. */
  isOver: () => boolean;
}

/**
 * Puts the references of pending rows again, marked as `resent`, in groups while the rows are read. `isWhole` is true
 * if there was enough time for all.
 */
export async function resendPending(
  deps: EnqueueDeps & Pick<Services, 'table'>,
  batch: BatchRow,
  { isWanted = async () => true, isOver }: ResendOptions,
): Promise<{ sent: number; isWhole: boolean }> {
  let sent = 0;
  const rows = pendingRows(deps, batch, isWanted);
  for await (const group of groupsOfSource(rows, ROWS_PER_GROUP)) {
    if (sent > 0 && isOver()) return { sent, isWhole: false };
    await enqueue(deps, batch, group, { resent: true });
    sent += group.length;
  }
  return { sent, isWhole: true };
}

async function* pendingRows(
  { table }: Pick<Services, 'table'>,
  { id }: BatchRow,
  isWanted: (row: ChunkRow) => Promise<boolean>,
): AsyncGenerator<ChunkRow> {
  for await (const row of chunkRows(table, id, { state: 'pending' })) if (await isWanted(row)) yield row;
}
