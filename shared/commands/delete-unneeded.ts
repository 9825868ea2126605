import { isFinished } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import { MAX_RECEIVE } from '../contract/queue-limits.ts';
import { type Reference, readReference } from '../contract/reference.ts';
import { inParallel } from '../parallel.ts';
import { asReturned, holdLease, type Lease } from '../processing/lease.ts';
import { type Queue, receive } from '../queues/messages.ts';
import type { Services } from '../queues/services.ts';

const DELETES_AT_ONCE = 16;

/** The result. `isEmpty`: no visible messages are left except those that are `kept` because their batches are under way. */
export interface Deleted {
  messages: number;
  kept: number;
  isEmpty: boolean;
}

/** `stillNeeded`: batches whose references stay although they are being cancelled. `isOver` is called before each receive. */
interface DeleteUnneededOptions {
  stillNeeded: ReadonlySet<string>;
  isOver: () => boolean;
}

/**
 * Receives the visible messages of a queue and deletes those that no batch needs, one by one: references of batches that
 * are not under way, references to a blob to adopt (the blob stays in the inbox), unreadable messages, and messages of a
 * newer contract. The others return to the queue at the end.
 */
export async function deleteUnneeded(
  deps: Pick<Services, 'table' | 'visibilitySeconds'>,
  queue: Queue,
  { stillNeeded, isOver }: DeleteUnneededOptions,
): Promise<Deleted> {
  const kept: { id: string; lease: Lease; reference: Reference }[] = [];
  const leases: Lease[] = [];
  let messages = 0;
  try {
    for (;;) {
      if (isOver()) return { messages, kept: kept.length, isEmpty: false };
      const received = await receive(queue, MAX_RECEIVE, deps.visibilitySeconds);
      if (received.length === 0) return { messages, kept: kept.length, isEmpty: true };
      const lease = holdLease(queue, received, deps.visibilitySeconds);
      leases.push(lease);
      const isUnderWay = createIsUnderWay(deps, stillNeeded);
      await inParallel(received, DELETES_AT_ONCE, async ({ messageId: id, messageText }) => {
        const reference = batchReference(messageText);
        if (reference && (await isUnderWay(reference.batch))) {
          kept.push({ id, lease, reference });
          return;
        }
        await lease.delete(id);
        messages += 1;
      });
    }
  } finally {
    // Returned at the end, since they would otherwise be received again.
    await inParallel(kept, DELETES_AT_ONCE, ({ id, lease, reference }) =>
      lease.returnToQueue(id, 0, asReturned(reference)),
    ).finally(() => {
      for (const lease of leases) lease.end();
    });
  }
}

function batchReference(text: string): Reference | undefined {
  try {
    const reference = readReference(text);
    return reference.batch === undefined ? undefined : reference;
  } catch {
    return undefined;
  }
}

/**
 * The batches are read after the messages were received, and again for each receive: a batch that has just finished may
 * be redriven, and its references are put after its row has changed.
 */
function createIsUnderWay(
  { table }: Pick<Services, 'table'>,
  stillNeeded: ReadonlySet<string>,
): (batch: string) => Promise<boolean> {
  const states = new Map<string, Promise<boolean>>();
  const read = async (batch: string): Promise<boolean> => {
    const row = (await readBatch(table, batch))?.row;
    return row !== undefined && (row.state !== 'cancelling' || stillNeeded.has(batch)) && !isFinished(row.state);
  };
  return (batch) => {
    const known = states.get(batch) ?? read(batch);
    states.set(batch, known);
    return known;
  };
}
