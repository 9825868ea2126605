/**
 * The lease of received messages: their visibility timeout, renewed while they are processed.
 *
 * Invariant: a message is deleted or rewritten only with its newest pop receipt, so never by a worker that has lost its
 * lease.
 * The interleaving that would break it: A is frozen beyond the timeout, B receives the message, A wakes up and deletes it
 * while B has stored nothing. Therefore a refused receipt ends A's lease of that message permanently. A still stores its
 * outcome, which is create-only, because B looks for an outcome before it runs the chunk.
 * Calls for one message run one after the other: of two with the same receipt, the second would be refused although the
 * lease is still held.
 * Tests: tests/unit/processing/lease.test.ts; leases that run out at any step in
 * tests/faults/chunk-life/chunk-life.test.ts.
 */
import type { DequeuedMessageItem, QueueClient } from '@azure/storage-queue';
import type { Reference } from '../contract/reference.ts';
import { asciiJson } from '../contract/text/text.ts';
import { toError } from '../errors.ts';
import { deleteMessage, isReceiptDead } from '../storage/pop-receipt.ts';
import { log } from '../telemetry/log.ts';

export type LeaseQueue = Pick<QueueClient, 'updateMessage' | 'deleteMessage'>;

/**
 * Holds the messages of a round: renews their visibility at half of the timeout while they are processed, and keeps the
 * newest pop receipt of each. A refused receipt means that another worker has the message now. A call waits for the
 * running call for the same message.
 */
export interface Lease {
  /** Stores new content, as ASCII JSON, in the message and renews it; false if the lease is lost. */
  rewrite: (messageId: string, content: object) => Promise<boolean>;
  /** Deletes the message. It is no error if the message is gone, or if another worker has it. */
  delete: (messageId: string) => Promise<void>;
  /** Makes the message visible to others after `seconds`, with other content if given. */
  returnToQueue: (messageId: string, seconds: number, content?: object) => Promise<void>;
  end: () => void;
}

/** Starts to hold `messages`, which were received with `visibilitySeconds`. */
export function holdLease(
  queue: LeaseQueue,
  messages: readonly DequeuedMessageItem[],
  visibilitySeconds: number,
): Lease {
  const popReceipts = new Map(messages.map(({ messageId, popReceipt }) => [messageId, popReceipt]));
  const latest = new Map<string, Promise<unknown>>();
  const inTurn = async <T>(id: string, call: () => Promise<T>): Promise<T> => {
    const before = latest.get(id);
    const running = before === undefined ? call() : before.then(call, call);
    latest.set(id, running);
    try {
      return await running;
    } finally {
      if (latest.get(id) === running) latest.delete(id);
    }
  };
  const update = async (id: string, content: object | undefined, seconds: number): Promise<boolean> => {
    const receipt = popReceipts.get(id);
    if (receipt === undefined) return false;
    try {
      const { popReceipt } = await queue.updateMessage(id, receipt, content && asciiJson(content), seconds);
      if (popReceipt !== undefined) popReceipts.set(id, popReceipt);
      return true;
    } catch (error) {
      if (!isReceiptDead(error)) throw error;
      lose(id);
      return false;
    }
  };
  const lose = (id: string): void => {
    popReceipts.delete(id);
    log.info('lease-lost', { messageId: id });
  };
  // A message with a running call needs no renewal: that call renews it as well, or ends its lease.
  const renewAll = async (): Promise<void> => {
    const idle = [...popReceipts.keys()].filter((id) => !latest.has(id));
    await Promise.all(idle.map((id) => inTurn(id, () => update(id, undefined, visibilitySeconds))));
  };
  const timer = setInterval(() => {
    renewAll().catch((error: unknown) => log.warn('lease-not-renewed', { error: toError(error) }));
  }, visibilitySeconds * 500);
  return {
    rewrite: (id, content) => inTurn(id, () => update(id, content, visibilitySeconds)),
    delete: (id) =>
      inTurn(id, async () => {
        const receipt = popReceipts.get(id);
        popReceipts.delete(id);
        if (receipt !== undefined) await deleteMessage(queue, id, receipt);
      }),
    returnToQueue: (id, seconds, content) =>
      inTurn(id, async () => {
        await update(id, content, seconds);
        popReceipts.delete(id);
      }),
    end: () => clearInterval(timer),
  };
}

/** Creates the reference that a living process returns to its queue: this delivery does not count as a crash. */
export const asReturned = (reference: Reference): Reference => ({
  ...reference,
  returned: (reference.returned ?? 0) + 1,
});
