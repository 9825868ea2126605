import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { chunkRows } from '../batches/ledger.ts';
import { resultsQueueName } from '../contract/names.ts';
import { enqueue, queueOf } from '../wake/enqueue.ts';
import { isOver, type SweepRun } from './run.ts';

const ROWS_A_GROUP = 500;

/**
 * Puts the references of pending rows again, where their queue is empty: nothing can be under way to them any more. Not
 * while results wait to be collected, for those may be theirs. Gives how many were put.
 */
export async function resend(run: SweepRun, batch: BatchRow): Promise<number> {
  const workload = run.registry.workload(batch.workload);
  if (!workload || (await run.depthOf(resultsQueueName(workload.name))) > 0) return 0;
  const empty = new Map<string, Promise<boolean>>();
  // Asked once a queue, and before anything is put on it.
  const isEmpty = (queue: string): Promise<boolean> => {
    const known = empty.get(queue) ?? run.depthOf(queue).then((depth) => depth === 0);
    empty.set(queue, known);
    return known;
  };
  let sent = 0;
  let group: ChunkRow[] = [];
  for await (const { row } of chunkRows(run.table, batch.id, 'pending')) {
    if (!(await isEmpty(queueOf(workload, batch.lane, row.chunk))) || group.push(row) < ROWS_A_GROUP) continue;
    await enqueue(run, batch, group, { resent: true });
    sent += group.length;
    group = [];
    if (isOver(run)) return sent;
  }
  await enqueue(run, batch, group, { resent: true });
  return sent + group.length;
}
