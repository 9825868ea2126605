import { isFinished } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import { batchesOfDays, unindexBatch } from '../batches/listing/index-rows.ts';
import { deleteBatch } from '../commands/delete.ts';
import { batchDate } from '../contract/names.ts';
import { DAY_MS } from '../days.ts';
import { guarded, isOver, repaired, type SweepRun } from './sweep-run.ts';

/** Maximum number of batches that one sweep deletes. */
const MAX_BATCHES = 500;

/**
 * Deletes batches that have been kept for their workload's `retentionDays` since they ended. Uses one query for all
 * workloads with the same retention, so that an idle day does not cost more with each workload. Keeps batches of a
 * workload that is not deployed: its retention may be longer than any default, and it may return after a rollback.
 */
export async function expireBatches(run: SweepRun): Promise<boolean> {
  let left = MAX_BATCHES;
  const deployed = run.registry.workloads.filter(({ pool }) => run.pool === undefined || pool === run.pool);
  for (const [days, workloads] of Map.groupBy(deployed, ({ retentionDays }) => retentionDays)) {
    const before = new Date(run.gate.now() - days * DAY_MS).toISOString();
    const names = workloads.map(({ name }) => name);
    for await (const entry of batchesOfDays(run.table, { first: '', last: before.slice(0, 10), workloads: names })) {
      if (left === 0 || isOver(run)) return true;
      // A batch that was never accepted has the day of its id.
      const endedAt = entry.completedAt ?? `${batchDate(entry.id)}T`;
      if (!names.includes(entry.workload) || endedAt >= before) continue;
      left -= 1;
      await guarded(run, { batch: entry.id }, () => expire(run, entry.id, { workload: entry.workload, before }));
    }
  }
  return false;
}

/**
 * Deletes an expired batch. Decided by its row: the listing contains the last end, and the batch may be running again. A line
 * in the listing without a batch is left from a crash, and is removed.
 */
async function expire(
  run: SweepRun,
  id: string,
  { workload, before }: { workload: string; before: string },
): Promise<void> {
  const found = await readBatch(run.table, id);
  if (found && (!isFinished(found.row.state) || (found.row.completedAt ?? '') >= before)) return;
  if (found && !(await deleteBatch(run, id, run.endMs))) return;
  await unindexBatch(run.table, id);
  repaired(run, 'expiredBatches', { event: 'batch-expired', batch: id, workload });
}
