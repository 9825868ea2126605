import type { QueueClient } from '@azure/storage-queue';
import { errorCodeOf } from '../errors.ts';

/**
 * Whether a pop receipt counts for nothing any more: the message was deleted, received again or updated, also by a call of
 * our own whose answer was lost. Azure says 404 MessageNotFound for all of them, Azurite 400 PopReceiptMismatch for some.
 */
export const isReceiptDead = (error: unknown): boolean =>
  ['MessageNotFound', 'PopReceiptMismatch'].includes(errorCodeOf(error) ?? '');

/** Deletes a message; that it is gone, or another's by now, is fine. */
export async function deleteMessage(
  queue: Pick<QueueClient, 'deleteMessage'>,
  messageId: string,
  popReceipt: string,
): Promise<void> {
  try {
    await queue.deleteMessage(messageId, popReceipt);
  } catch (error) {
    if (!isReceiptDead(error)) throw error;
  }
}
