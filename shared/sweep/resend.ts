import type { BatchRow } from '../batches/batch-row.ts';
import { resultsQueueName } from '../contract/names.ts';
import { queueOf } from '../queues/queue-of.ts';
import { resendPending } from '../queues/resend.ts';
import { isOver, type SweepRun } from './sweep-run.ts';

/**
 * Puts the references of pending rows again if their queue is empty, because then none of their messages can be under way.
 * Puts none while the result queue has messages: these may be the results of pending rows. Returns how many were put.
 */
export async function resend(run: SweepRun, batch: BatchRow): Promise<number> {
  const workload = run.registry.workload(batch.workload);
  if (!workload || (await run.depthOf(resultsQueueName(workload.name))) > 0) return 0;
  const empty = new Map<string, Promise<boolean>>();
  // Each queue is read once, before anything is put on it.
  const isEmpty = (queue: string): Promise<boolean> => {
    const known = empty.get(queue) ?? run.depthOf(queue).then((depth) => depth === 0);
    empty.set(queue, known);
    return known;
  };
  const { sent } = await resendPending(run, batch, {
    isWanted: ({ chunk }) => isEmpty(queueOf(workload, batch, chunk)),
    isOver: () => isOver(run),
  });
  return sent;
}
