/** Reading blobs: a body that breaks off is an outage, whatever the SDK makes of it. */
import type { Readable } from 'node:stream';
import { type BlobClient, type BlobDownloadToBufferOptions, RestError } from '@azure/storage-blob';
import { isOutage, statusOf } from '../errors.ts';

/**
 * Downloads `count` bytes of a blob from `offset`, by one call; without them, the whole blob, by one call more for its size.
 * @throws RestError with a status for what the service answers; without one when the body breaks off or stops each time
 */
export async function downloadBytes(
  blob: BlobClient,
  { offset = 0, count, ...options }: { offset?: number; count?: number } & BlobDownloadToBufferOptions = {},
): Promise<Buffer> {
  try {
    const block = count === undefined ? {} : { blockSize: count };
    return await blob.downloadToBuffer(offset, count, { ...block, ...options });
  } catch (error) {
    throw asOutage(error);
  }
}

/**
 * The pieces of a streamed download.
 * @throws RestError without a status when the body breaks off or stops each time
 */
export async function* downloadedPieces(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw asOutage(error);
  }
}

/**
 * The SDK ends a download that it has taken up in vain with a plain Error ("Data corruption failure", or a time limit of its
 * own). Taken for a fault of the chunk, it would count as a start that killed its process.
 */
function asOutage(error: unknown): unknown {
  if (statusOf(error) !== undefined || isOutage(error) || !(error instanceof Error)) return error;
  const outage = new RestError(`The body of a download broke off: ${error.message}`, { code: 'ECONNRESET' });
  outage.cause = error;
  return outage;
}
