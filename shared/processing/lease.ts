/**
 * The lease of received messages: their visibility, renewed while they are worked on.
 *
 * Invariant: a message is deleted or rewritten only with the newest pop receipt, so never by a worker that has lost it.
 * The interleaving that would break it: A is frozen beyond the timeout, B receives the message, A wakes up and deletes it
 * while B has stored nothing. So a receipt that is refused ends A's lease of that message for good; A still stores its
 * outcome, which is create-only, since B looks for one before it runs the chunk.
 * Calls for one message run one after the other: of two with the same receipt the second would be refused, although the
 * lease is ours.
 * Tests: tests/unit/processing/lease.test.ts; leases that run out at any step in tests/faults/chunk-life/chunk-life.test.ts.
 */
import type { DequeuedMessageItem, QueueClient } from '@azure/storage-queue';
import type { Reference } from '../contract/reference.ts';
import { asciiJson } from '../contract/text/text.ts';
import { toError } from '../errors.ts';
import { deleteMessage, isReceiptDead } from '../storage/pop-receipt.ts';
import { log } from '../telemetry/log.ts';

/** What a lease needs of its queue. */
export type LeaseQueue = Pick<QueueClient, 'updateMessage' | 'deleteMessage'>;

/**
 * Holds the messages of a round: renews their visibility at half of the timeout while they are worked on, and keeps the
 * newest pop receipt of each. A receipt that is refused means that somebody else has the message now. A call waits for the
 * one for the same message that is under way.
 */
export interface Lease {
  /** Stores new content, as ASCII JSON, in the message (and renews it); false when the lease is lost. */
  rewrite: (messageId: string, content: object) => Promise<boolean>;
  /** Deletes the message; that it is gone, or another's by now, is fine. */
  finish: (messageId: string) => Promise<void>;
  /** Makes the message visible to others after `seconds`, with other content if some is given. */
  returnToQueue: (messageId: string, seconds: number, content?: object) => Promise<void>;
  /** Stops renewing. */
  end: () => void;
}

/** Starts to hold `messages`, which were received with `visibilitySeconds`. */
export function holdLease(
  queue: LeaseQueue,
  messages: readonly DequeuedMessageItem[],
  visibilitySeconds: number,
): Lease {
  const receipts = new Map(messages.map(({ messageId, popReceipt }) => [messageId, popReceipt]));
  const latest = new Map<string, Promise<unknown>>();
  const inTurn = async <T>(id: string, call: () => Promise<T>): Promise<T> => {
    const before = latest.get(id);
    const own = before === undefined ? call() : before.then(call, call);
    latest.set(id, own);
    try {
      return await own;
    } finally {
      if (latest.get(id) === own) latest.delete(id);
    }
  };
  const update = async (id: string, content: object | undefined, seconds: number): Promise<boolean> => {
    const receipt = receipts.get(id);
    if (receipt === undefined) return false;
    try {
      const { popReceipt } = await queue.updateMessage(id, receipt, content && asciiJson(content), seconds);
      if (popReceipt !== undefined) receipts.set(id, popReceipt);
      return true;
    } catch (error) {
      if (!isReceiptDead(error)) throw error;
      lose(id);
      return false;
    }
  };
  const lose = (id: string): void => {
    receipts.delete(id);
    log.info('lease-lost', { messageId: id });
  };
  // What has a call under way needs none: that one renews the message as well, or ends its lease.
  const renewAll = async (): Promise<void> => {
    const idle = [...receipts.keys()].filter((id) => !latest.has(id));
    await Promise.all(idle.map((id) => inTurn(id, () => update(id, undefined, visibilitySeconds))));
  };
  const timer = setInterval(() => {
    renewAll().catch((error: unknown) => log.warn('lease-not-renewed', { error: toError(error) }));
  }, visibilitySeconds * 500);
  return {
    rewrite: (id, content) => inTurn(id, () => update(id, content, visibilitySeconds)),
    finish: (id) =>
      inTurn(id, async () => {
        const receipt = receipts.get(id);
        receipts.delete(id);
        if (receipt !== undefined) await deleteMessage(queue, id, receipt);
      }),
    returnToQueue: (id, seconds, content) =>
      inTurn(id, async () => {
        await update(id, content, seconds);
        receipts.delete(id);
      }),
    end: () => clearInterval(timer),
  };
}

/** Makes the reference that a living process returns to its queue: the delivery does not count as a crash. */
export const asReturned = (reference: Reference): Reference => ({
  ...reference,
  returned: (reference.returned ?? 0) + 1,
});
