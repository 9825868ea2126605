/**
 * A round of the one dequeue task on a result queue. Each batch's outcomes are written to the ledger, 98 chunk rows per
 * transaction. Then the references that follow from them are put. Then the batch finishes, if nothing is pending and that
 * transaction has not finished it. The messages are deleted last.
 */

import type { DequeuedMessageItem } from '@azure/storage-queue';
import { digestOf } from '../contract/frame.ts';
import { timesOperations } from '../contract/operations.ts';
import { type DoneChunk, type ResultMessage, readResult } from '../contract/reference.ts';
import { emptyCounts, type WorkCounts } from '../gate/planning/slice-result.ts';
import { holdLease } from '../processing/lease.ts';
import { collectEach } from '../processing/publish/collect-here.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from '../processing/return-message.ts';
import { type Entry, readEntries } from '../queues/messages.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { type BatchWork, collectBatch } from './collect-batch.ts';
import type { FinalizeDeps } from './finalize.ts';

/** Creates the round of a slice on one result queue. */
export function createCollectRound(
  deps: FinalizeDeps,
  address: QueueAddress,
): (messages: DequeuedMessageItem[]) => Promise<WorkCounts> {
  const queue = deps.queues(address.queue);
  return async (messages) => {
    const aside = { queue, queues: deps.queues, workload: address.workload.name };
    const entries = await readEntries(messages, readResult, aside);
    const lease = holdLease(queue, messages, deps.visibilitySeconds);
    try {
      const { failed, deferred } = await collectEach(byBatch(address.workload.name, entries), (batch, work) =>
        collectBatch(deps, batch, work),
      );
      const again = entries.filter(({ value }) => value.chunks.some(({ batch }) => deferred.has(batch)));
      const soon = { address, lease, content: undefined, seconds: FAULT_RETRY_SECONDS };
      await Promise.all(again.map((entry) => returnMessage(deps, entry, soon)));
      const over = entries.filter(({ value }) => value.chunks.every(({ batch }) => !failed.has(batch)));
      await Promise.all(over.map(({ message }) => lease.delete(message.messageId)));
      return { ...emptyCounts(), received: messages.length, done: over.length };
    } finally {
      lease.end();
    }
  };
}

/** Groups outcomes by batch. The operations of a message are divided evenly among its chunks. */
function byBatch(workload: string, entries: Entry<ResultMessage>[]): Map<string, BatchWork> {
  const works = new Map<string, BatchWork>();
  // A message that was put twice may be received twice in one round.
  const each = new Map(entries.map((entry) => [nameOf(entry.message), entry]));
  for (const entry of each.values()) {
    for (const done of entry.value.chunks) {
      const work = works.get(done.batch) ?? { workload, outcomes: [], traceparents: [] };
      works.set(done.batch, work);
      addOutcome(work, done, entry);
    }
  }
  return works;
}

function addOutcome(work: BatchWork, done: DoneChunk, { message, value }: Entry<ResultMessage>): void {
  work.traceparents?.push(value.traceparent);
  const operations = timesOperations(value.operations, 1 / value.chunks.length);
  work.outcomes.push({ chunk: done.chunk, header: done.header, message: nameOf(message), operations });
}

/** From the text, not the service's id: a put whose answer was lost makes two messages, charged as one. */
const nameOf = ({ messageText }: DequeuedMessageItem): string => digestOf(Buffer.from(messageText)).slice(0, 32);
