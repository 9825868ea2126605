/** What a round does with its outcomes: one result message for all of them, one wake, then the references are deleted. */
import { resultsQueueName } from '../contract/names.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import type { FinishedChunk, Reference } from '../contract/reference.ts';
import { emptyTally, type Tally } from '../drain/slice-result.ts';
import type { Entry } from '../wake/messages.ts';
import type { Publish } from '../wake/publish.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import type { Lease } from './lease.ts';
import { putResults, type ResultDeps } from './put-results.ts';
import type { ChunkOutcome } from './thread/thread-task.ts';

export interface TellDeps extends ResultDeps {
  publish: Publish;
  registry: Registry;
}

/** What became of one reference: an outcome to report, nothing any more (its batch is gone, or settled), or to be tried again. */
export type Fate = { end: FinishedChunk; outcome?: ChunkOutcome } | 'ghost' | 'stale' | 'later';

export interface TellOptions {
  operations: Operations;
  lease: Lease;
  entries: Entry<Reference>[];
}

/**
 * Puts the result message, wakes the result queue, then deletes the references: after a crash between two steps the
 * references come again, and nothing is lost. A chunk whose result is refused keeps its reference: its next delivery
 * finds the stored outcome and puts the result again.
 */
export async function tellResults(
  deps: TellDeps,
  address: QueueAddress,
  fates: Fate[],
  options: TellOptions,
): Promise<void> {
  const ends = fates.flatMap((fate) => (typeof fate === 'string' ? [] : [fate.end]));
  const refused = new Set<string>();
  if (ends.length > 0) {
    const operations = addOperations(options.operations, ownOperations(ends.length));
    for (const end of await putResults(deps, { from: address, ends, operations })) refused.add(nameOf(end));
    const results = deps.registry.queue(resultsQueueName(address.workload.name));
    if (results) await deps.publish(results, { type: 'QueueWorkDetected' });
  }
  const isOver = (fate: Fate | undefined): boolean =>
    typeof fate === 'object' ? !refused.has(nameOf(fate.end)) : fate !== 'later';
  const over = options.entries.filter((_, index) => isOver(fates[index]));
  await Promise.all(over.map(({ message }) => options.lease.finish(message.messageId)));
}

const nameOf = ({ batch, chunk }: FinishedChunk): string => `${batch} ${chunk}`;

/** The receive before, and what telling the results is going to cost: that cannot be counted in the message it writes. */
const ownOperations = (references: number): Operations => ({
  'queue.get': 1,
  'queue.put': 1,
  'servicebus.send': 1,
  'queue.delete': references,
});

/** What a round came to. */
export function tallyOf(received: number, fates: Fate[], operations: Tally['operations']): Tally {
  const tally = { ...emptyTally(), received, operations };
  for (const fate of fates) {
    if (fate === 'ghost') tally.ghosts += 1;
    if (typeof fate === 'string') continue;
    const { counts } = fate.end.header;
    tally.done += 1;
    tally.items += counts.items - counts.retried;
    tally.ran += fate.outcome?.ran ?? 0;
    tally.failures += fate.outcome?.failures ?? 0;
    tally.handlerSeconds += fate.outcome ? fate.end.header.handlerSeconds : 0;
  }
  return tally;
}
