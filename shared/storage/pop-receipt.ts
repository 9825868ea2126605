import type { QueueClient } from '@azure/storage-queue';
import { errorCodeOf } from '../errors.ts';

/**
 * Whether a pop receipt is no longer valid: the message was deleted, received again or updated, possibly by our own
 * call whose response was lost. Azure responds with 404 MessageNotFound to all of them, Azurite with 400
 * PopReceiptMismatch to some.
 */
export const isReceiptDead = (error: unknown): boolean =>
  ['MessageNotFound', 'PopReceiptMismatch'].includes(errorCodeOf(error) ?? '');

/** Deletes a message. Succeeds also if the message is already deleted or was received again. */
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
