/** What a round does with the outcomes that wait: one result message for all, one wake, then the references are deleted. */
import type { ApplyRead } from '../../batches/apply/read-for-apply.ts';
import { resultsQueueName } from '../../contract/names.ts';
import { addOperations, type Operations, subtractOperations } from '../../contract/operations.ts';
import type { FinishedChunk } from '../../contract/reference.ts';
import type { Meter } from '../../cost/meter.ts';
import { emptyCounts, type WorkCounts } from '../../drain/slice-result.ts';
import type { Publish } from '../../wake/events/publish.ts';
import type { Entry } from '../../wake/messages.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import type { Lease } from '../lease.ts';
import type { ChunkOutcome } from '../thread/thread-task.ts';
import { putResults, type ResultDeps } from './put-results.ts';

export interface PublishResultsDeps extends ResultDeps {
  publish: Publish;
  registry: Registry;
  meter: Pick<Meter, 'record'>;
}

/**
 * What became of one reference: an outcome to report, nothing any more (its batch is gone, or finished), nothing since a
 * resume of its batch puts it again, or to be tried again. `cancelled`: its batch was, before a worker met it. Of version 2: its blob was taken, or it is in the poison queue.
 * `pending`: chunks of its batch that had no end when the batch was read, of a small batch alone; `read`: its rows
 * as they were then.
 */
export type ChunkDisposition =
  | {
      end: FinishedChunk;
      outcome?: Omit<ChunkOutcome, 'body'>;
      pending?: number | undefined;
      read?: ApplyRead | undefined;
    }
  | 'orphaned'
  | 'duplicate'
  | 'cancelled'
  | 'paused'
  | 'adopted'
  | 'setAside'
  | 'returned';

/** A reference, and what became of it. */
export interface EndedReference {
  entry: Entry<unknown>;
  disposition: ChunkDisposition;
}

/**
 * Puts the result message, wakes the result queue, then deletes the references: after a crash between two steps the
 * references come again, and nothing is lost. A chunk whose result is refused keeps its reference: its next delivery
 * finds the stored outcome and puts the result again.
 */
export async function publishResults(
  deps: PublishResultsDeps,
  address: QueueAddress,
  waiting: readonly EndedReference[],
  { operations: before, lease, generation }: { operations: Operations; lease: Lease; generation: number },
): Promise<void> {
  const ends = waiting.flatMap(({ disposition }) => (typeof disposition === 'string' ? [] : [disposition.end]));
  const refused = new Set<string>();
  if (ends.length > 0) {
    const handlers = waiting.map(({ disposition }) => handlerOperations(disposition)).reduce(addOperations);
    const operations = [before, handlers, ownOperations(ends.length)].reduce(addOperations);
    const put = await putResults(deps, { from: address, ends, operations, generation });
    // The meter of this thread has not seen those of the handlers.
    deps.meter.record(subtractOperations(put.operations, handlers));
    const { items, payloadBytes } = put;
    for (const end of put.refused) refused.add(nameOf(end));
    const results = deps.registry.queue(resultsQueueName(address.workload.name));
    if (results) await deps.publish(results, { type: 'QueueWorkDetected', items, payloadBytes });
  }
  const isOver = ({ disposition }: EndedReference): boolean =>
    typeof disposition === 'object' ? !refused.has(nameOf(disposition.end)) : disposition !== 'returned';
  await Promise.all(waiting.filter(isOver).map(({ entry }) => lease.finish(entry.message.messageId)));
}

const nameOf = ({ batch, chunk }: FinishedChunk): string => `${batch} ${chunk}`;

/** What the handlers did in their threads. */
export const handlerOperations = (disposition: ChunkDisposition): Operations =>
  typeof disposition === 'string' ? {} : (disposition.outcome?.operations ?? {});

/** What publishing the results is going to cost: that cannot be counted in the message it writes. */
const ownOperations = (references: number): Operations => ({
  'queue.put': 1,
  'servicebus.send': 1,
  'queue.delete': references,
});

/** What a round came to. */
export function countWork(
  received: number,
  dispositions: ChunkDisposition[],
  operations: WorkCounts['operations'],
): WorkCounts {
  const total = { ...emptyCounts(), received, operations };
  for (const disposition of dispositions) {
    if (disposition === 'orphaned') total.orphanedReferences += 1;
    // As a cancelled chunk does: a probe that meets it has tried nothing, and goes on.
    if (disposition === 'paused' || disposition === 'adopted') total.done += 1;
    // Its batch counts it as well: the request that has cancelled it named this drain.
    if (disposition === 'cancelled') total.chunks += 1;
    if (typeof disposition === 'string') continue;
    total.chunks += 1;
    const { counts } = disposition.end.header;
    total.done += 1;
    total.items += counts.items - counts.retried;
    total.ran += disposition.outcome?.ran ?? 0;
    total.failures += disposition.outcome?.failures ?? 0;
    total.failure ||= disposition.outcome?.failure ?? '';
    total.waitedSeconds += disposition.outcome?.waitedSeconds ?? 0;
    total.handlerSeconds += disposition.outcome ? disposition.end.header.handlerSeconds : 0;
  }
  return total;
}
