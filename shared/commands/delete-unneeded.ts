/** Deletes the messages of a queue that no batch needs any longer. */
import type { DequeuedMessageItem } from '@azure/storage-queue';
import { isFinished } from '../batches/batch-row.ts';
import { readBatch } from '../batches/ledger.ts';
import { NewerContractError } from '../contract/errors.ts';
import { MAX_RECEIVE } from '../contract/queue-limits.ts';
import { type Reference, readReference } from '../contract/reference.ts';
import { inParallel } from '../parallel.ts';
import { asReturned, holdLease, type Lease } from '../processing/lease.ts';
import { type Queue, receive } from '../queues/messages.ts';
import type { Services } from '../queues/services.ts';

const DELETES_AT_ONCE = 16;

/**
 * Kinds of deleted messages: references of batches that are not under way, references to a blob to adopt (the blob
 * stays in the inbox), unreadable messages, and messages of a newer contract.
 */
type Kind = 'unneeded' | 'unadopted' | 'unreadable' | 'newer';

/** The result: what was deleted, and what stays. */
export interface Deleted {
  kinds: Record<Kind, number>;
  /** References that stay because their batches are under way. */
  kept: number;
  /** Whether no other visible messages are left. */
  isEmpty: boolean;
}

export const NOTHING_DELETED: Deleted = {
  kinds: { unneeded: 0, unadopted: 0, unreadable: 0, newer: 0 },
  kept: 0,
  isEmpty: false,
};

export interface DeleteUnneededOptions {
  /** Batches whose references stay although they are being cancelled. */
  stillNeeded: ReadonlySet<string>;
  /** Whether the time is up; called before each receive. */
  isOver: () => boolean;
}

/**
 * Receives the visible messages of a queue and deletes those that no batch needs, one by one; the others return to the
 * queue at the end.
 */
export async function deleteUnneeded(
  deps: Pick<Services, 'table' | 'visibilitySeconds'>,
  queue: Queue,
  { stillNeeded, isOver }: DeleteUnneededOptions,
): Promise<Deleted> {
  const kinds = { ...NOTHING_DELETED.kinds };
  const kept: Kept[] = [];
  const leases: Lease[] = [];
  try {
    for (;;) {
      if (isOver()) return { kinds, kept: kept.length, isEmpty: false };
      const messages = await receive(queue, MAX_RECEIVE, deps.visibilitySeconds);
      if (messages.length === 0) return { kinds, kept: kept.length, isEmpty: true };
      const lease = holdLease(queue, messages, deps.visibilitySeconds);
      leases.push(lease);
      await inParallel(await sortOut(deps, messages, stillNeeded), DELETES_AT_ONCE, async ({ id, kind, reference }) => {
        if (reference !== undefined) kept.push({ id, lease, reference });
        if (kind === undefined) return;
        await lease.delete(id);
        kinds[kind] += 1;
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

interface Kept {
  id: string;
  lease: Lease;
  reference: Reference;
}

/** A message by its id: either with the kind of its deletion, or with the reference that stays. */
interface Sorted {
  id: string;
  kind?: Kind;
  reference?: Reference;
}

/**
 * The batches are read after the messages were received, and again for each receive: a batch that has just finished may
 * be redriven, and its references are put after its row has changed.
 */
async function sortOut(
  deps: Pick<Services, 'table'>,
  messages: readonly DequeuedMessageItem[],
  stillNeeded: ReadonlySet<string>,
): Promise<Sorted[]> {
  const states = new Map<string, Promise<boolean>>();
  const isUnderWay = (batch: string): Promise<boolean> => {
    const known = states.get(batch) ?? isWanted(deps, batch, stillNeeded);
    states.set(batch, known);
    return known;
  };
  return Promise.all(
    messages.map(async ({ messageId: id, messageText }) => {
      const read = readMessage(messageText);
      if (typeof read === 'string') return { id, kind: read };
      return (await isUnderWay(read.batch)) ? { id, reference: read } : { id, kind: 'unneeded' };
    }),
  );
}

function readMessage(text: string): Reference | Kind {
  try {
    const reference = readReference(text);
    return reference.batch === undefined ? 'unadopted' : reference;
  } catch (error) {
    return error instanceof NewerContractError ? 'newer' : 'unreadable';
  }
}

async function isWanted(
  { table }: Pick<Services, 'table'>,
  batch: string,
  stillNeeded: ReadonlySet<string>,
): Promise<boolean> {
  const row = (await readBatch(table, batch))?.row;
  return row !== undefined && (row.state !== 'cancelling' || stillNeeded.has(batch)) && !isFinished(row.state);
}
