/** Publishes the waiting outcomes of a round: one result message for all (more if it would be too large), one wake event, then the references are deleted. */
import type { ApplyRead } from '../../batches/apply/read-for-apply.ts';
import { resultsQueueName } from '../../contract/names.ts';
import type { DoneChunk } from '../../contract/reference.ts';
import { emptyCounts, type WorkCounts } from '../../gate/planning/slice-result.ts';
import type { Entry } from '../../queues/messages.ts';
import type { Services } from '../../queues/services.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { Lease } from '../lease.ts';
import type { ChunkOutcome } from '../outcome/encode/encode-outcome.ts';
import { putResults, type ResultDeps } from './put-results.ts';

export type PublishResultsDeps = ResultDeps & Pick<Services, 'publish' | 'registry'>;

/**
 * What becomes of one reference. An object: an outcome to report. `orphaned`, `duplicate`: nothing, because its batch is
 * gone or finished. `cancelled`: its batch was cancelled before a worker received it. `paused`: nothing, because a resume
 * of its batch puts it again. `returned`: it is tried again. For version 2, `adopted`: its blob was taken; `setAside`: it
 * is in the poison queue.
 * `pending` is the number of unfinished chunks of a small batch when the batch was read; `read` contains its rows as they
 * were then.
 */
export type ChunkDisposition =
  | {
      done: DoneChunk;
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

export interface DisposedReference {
  entry: Entry<unknown>;
  disposition: ChunkDisposition;
}

/**
 * Puts the result message, wakes the result queue, then deletes the references: after a crash between two steps, the
 * references are delivered again, and nothing is lost. A chunk whose result is refused keeps its reference: its next
 * delivery finds the stored outcome and puts the result again.
 */
export async function publishResults(
  deps: PublishResultsDeps,
  address: QueueAddress,
  waiting: readonly DisposedReference[],
  lease: Lease,
): Promise<void> {
  const chunks = waiting.flatMap(({ disposition }) => (typeof disposition === 'string' ? [] : [disposition.done]));
  const refused = new Set<string>();
  if (chunks.length > 0) {
    const { items, payloadBytes, refused: notPut } = await putResults(deps, { from: address, chunks });
    for (const chunk of notPut) refused.add(nameOf(chunk));
    const results = deps.registry.queue(resultsQueueName(address.workload.name));
    if (results) await deps.publish(results, { type: 'QueueWorkDetected', items, payloadBytes });
  }
  const isOver = ({ disposition }: DisposedReference): boolean =>
    typeof disposition === 'object' ? !refused.has(nameOf(disposition.done)) : disposition !== 'returned';
  await Promise.all(waiting.filter(isOver).map(({ entry }) => lease.delete(entry.message.messageId)));
}

const nameOf = ({ batch, chunk }: DoneChunk): string => `${batch} ${chunk}`;

/** Sums up the work of a round. */
export function countWork(received: number, dispositions: ChunkDisposition[]): WorkCounts {
  const total = { ...emptyCounts(), received };
  for (const disposition of dispositions) {
    if (disposition === 'orphaned') total.orphanedReferences += 1;
    // Like a cancelled chunk: a probe that receives it has tried nothing, and continues.
    if (disposition === 'paused' || disposition === 'adopted') total.done += 1;
    if (typeof disposition === 'string') continue;
    const { counts } = disposition.done.header;
    total.done += 1;
    total.items += counts.items - counts.retried;
    total.ran += disposition.outcome?.ran ?? 0;
    total.failures += disposition.outcome?.failures ?? 0;
    total.failure ||= disposition.outcome?.failure ?? '';
    total.waitedSeconds += disposition.outcome?.waitedSeconds ?? 0;
    total.handlerSeconds += disposition.outcome ? disposition.done.header.handlerSeconds : 0;
  }
  return total;
}
