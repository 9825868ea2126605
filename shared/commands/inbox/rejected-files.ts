import { CONTAINERS } from '../../contract/names.ts';
import { Problem, statusOf } from '../../errors.ts';
import { CopyPendingError, isMoved, moveFile } from '../../intake/inbox/inbox-move.ts';
import { reasonName } from '../../intake/inbox/rejection-reason.ts';
import { fileMetadata } from '../../intake/upload-options.ts';
import type { Services } from '../../queues/services.ts';
import { blobProperties } from '../../storage/blob-reads.ts';

export type RejectedFilesDeps = Pick<Services, 'container'>;

/**
 * Moves a rejected file back into the inbox, with its metadata, and deletes its reason. If it has no idempotency key, it
 * gets one: after a crash that follows the copy, the file is still listed as rejected, and a second retry must not create a
 * second batch.
 * @throws Problem 'not-found' if the file was not rejected, 'conflict' if the inbox contains another file of this name.
 */
export async function retryRejected(deps: RejectedFilesDeps, name: string): Promise<void> {
  const { etag, metadata } = await findRejected(deps, name);
  try {
    await moveFile(deps, {
      file: { name, etag },
      from: CONTAINERS.inboxRejected,
      to: CONTAINERS.inbox,
      metadata: { idempotencykey: `retry ${etag}`, ...fileMetadata(metadata) },
      repeated: true,
      createOnly: true,
    });
  } catch (error) {
    if (error instanceof CopyPendingError)
      throw new Problem('busy', `${name} is still being copied. Try again in a while.`, { cause: error });
    if (statusOf(error) !== 409) throw error;
    throw new Problem('conflict', `The inbox has another file "${name}". The next inbox scan takes it.`, {
      cause: error,
    });
  }
  await deleteReason(deps, name);
}

/**
 * Deletes a rejected file and its reason.
 * @throws Problem 'not-found' if the file was not rejected.
 */
export async function deleteRejected(deps: RejectedFilesDeps, name: string): Promise<void> {
  const { etag } = await findRejected(deps, name);
  const blob = deps.container(CONTAINERS.inboxRejected).getBlobClient(name);
  await blob.deleteIfExists({ deleteSnapshots: 'include', conditions: { ifMatch: etag } });
  await deleteReason(deps, name);
}

async function deleteReason({ container }: RejectedFilesDeps, name: string): Promise<void> {
  await container(CONTAINERS.inboxRejected).getBlobClient(reasonName(name)).deleteIfExists();
}

async function findRejected({ container }: RejectedFilesDeps, name: string) {
  const { etag = '', metadata } = (await blobProperties(container(CONTAINERS.inboxRejected).getBlobClient(name))) ?? {};
  if (isMoved(metadata)) return { etag, metadata };
  throw new Problem('not-found', `There is no rejected file "${name.slice(0, 200)}".`);
}
