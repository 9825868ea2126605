import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { chunkRows } from '../batches/ledger.ts';
import { type EnqueueDeps, enqueue } from './enqueue.ts';
import type { Services } from './services.ts';

const ROWS_PER_GROUP = 500;

export interface ResendOptions {
  /** Selects pending rows. Defaults to all. */
  isWanted?: (row: ChunkRow) => Promise<boolean>;
  /** Whether the time is up; called after each group of 500. */
  isOver: () => boolean;
}

/**
 * Puts the references of pending rows again, marked as `resent`, in groups while the rows are read. `isWhole` is true
 * if there was enough time for all.
 */
export async function resendPending(
  deps: EnqueueDeps & Pick<Services, 'table'>,
  batch: BatchRow,
  { isWanted, isOver }: ResendOptions,
): Promise<{ sent: number; isWhole: boolean }> {
  let sent = 0;
  let group: ChunkRow[] = [];
  const flush = async (): Promise<void> => {
    await enqueue(deps, batch, group, { resent: true });
    sent += group.length;
    group = [];
  };
  for await (const { row } of chunkRows(deps.table, batch.id, 'pending')) {
    if (isWanted && !(await isWanted(row))) continue;
    if (group.push(row) < ROWS_PER_GROUP) continue;
    await flush();
    if (isOver()) return { sent, isWhole: false };
  }
  await flush();
  return { sent, isWhole: true };
}
