import type { BatchRow } from '../batches/batch-row.ts';
import { resultsQueueName } from '../contract/names.ts';
import { queueOf } from '../wake/enqueue.ts';
import { resendPending } from '../wake/resend.ts';
import { isOver, type SweepRun } from './run.ts';

/**
 * Puts the references of pending rows again, where their queue is empty: nothing can be under way to them any more. Not
 * while results wait to be collected, for those may be theirs. Gives how many were put.
 */
export async function resend(run: SweepRun, batch: BatchRow): Promise<number> {
  const workload = run.registry.workload(batch.workload);
  if (!workload || (await run.depthOf(resultsQueueName(workload.name))) > 0) return 0;
  const empty = new Map<string, Promise<boolean>>();
  // Read once per queue, and before anything is put on it.
  const isEmpty = (queue: string): Promise<boolean> => {
    const known = empty.get(queue) ?? run.depthOf(queue).then((depth) => depth === 0);
    empty.set(queue, known);
    return known;
  };
  const { sent } = await resendPending(run, batch, {
    isWanted: ({ chunk }) => isEmpty(queueOf(workload, batch.lane, chunk)),
    isOver: () => isOver(run),
  });
  return sent;
}
