import { type BatchRow, isSettled } from '../batches/batch-row.ts';
import { expiredEntries, unindexBatch } from '../batches/index-rows.ts';
import { readBatch } from '../batches/ledger.ts';
import type { Workload } from '../workload/define.ts';
import { deleteBatch } from './delete-batch.ts';
import { guarded, isOver, repaired, type SweepRun } from './run.ts';

const DAY_MS = 86_400_000;
/** Batches that one sweep deletes. */
const MAX_BATCHES = 500;

/** Deletes batches that were kept for their workload's `retentionDays` since they ended; an operation a workload if none. */
export async function expireBatches(run: SweepRun): Promise<boolean> {
  let left = MAX_BATCHES;
  for (const workload of run.registry.workloads.filter(({ pool }) => run.pool === undefined || pool === run.pool)) {
    const before = new Date(run.gate.now() - workload.retentionDays * DAY_MS).toISOString();
    for await (const { id } of expiredEntries(run.table, workload.name, before)) {
      if (left === 0 || isOver(run)) return true;
      left -= 1;
      await guarded(run, { batch: id }, () => expire(run, id, { workload, before }));
    }
  }
  return false;
}

interface Expiry {
  workload: Workload;
  before: string;
}

/** By the row itself: the listing tells of the last end, and the batch may run again. */
const hasExpired = ({ state, completedAt = '' }: BatchRow, before: string): boolean =>
  isSettled(state) && completedAt < before;

/** A line in the listing without a batch is what a crash left of one. */
async function expire(run: SweepRun, id: string, { workload, before }: Expiry): Promise<void> {
  const found = await readBatch(run.table, id);
  if (found && !hasExpired(found.row, before)) return;
  if (found && !(await deleteBatch(run, id, run.endMs))) return;
  await unindexBatch(run.table, id);
  repaired(run, 'expiredBatches', { event: 'batch-expired', batch: id, workload: workload.name });
}
