/** Reads blobs. A body that breaks off is reported as an outage, whatever error the SDK throws. */
import type { Readable } from 'node:stream';
import {
  type BlobClient,
  type BlobDownloadToBufferOptions,
  type BlobGetPropertiesResponse,
  RestError,
} from '@azure/storage-blob';
import { isOutage, statusOf, unlessStatus } from '../errors.ts';
import { DOWNLOAD_RESUMES } from './policies/retry-limits.ts';

/** Returns the properties of a blob, or undefined if it does not exist. */
export const blobProperties = (
  blob: Pick<BlobClient, 'getProperties'>,
): Promise<BlobGetPropertiesResponse | undefined> => unlessStatus([404], blob.getProperties());

/**
 * Downloads `count` bytes of a blob from `offset` with one call. Without `count`, downloads the whole blob, with one
 * more call for its size.
 * @throws RestError with a status for an error response of the service; without one if the body breaks off or stops
 * each time
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

/** Downloads at most the first `count` bytes of a blob of any size with one operation. */
export async function downloadStart(
  blob: BlobClient,
  count: number,
): Promise<{ etag: string | undefined; bytes: Buffer }> {
  const { etag, body } = await openDownload(blob, { count });
  const pieces: Uint8Array[] = [];
  for await (const piece of downloadedPieces(body)) pieces.push(piece);
  return { etag, bytes: Buffer.concat(pieces) };
}

interface DownloadRange {
  /** Defaults to 0. */
  offset?: number;
  /** Defaults to the rest of the blob. */
  count?: number;
  /** Another version is refused with 412. */
  ifMatch?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a streamed download, for `downloadedPieces`; `bytes` is its length. A `body` that is not read to its end must
 * be destroyed.
 */
export async function openDownload(
  blob: BlobClient,
  { offset = 0, count, ifMatch, signal }: DownloadRange = {},
): Promise<{ etag: string | undefined; bytes: number; body: Readable }> {
  const {
    etag,
    contentLength: bytes = 0,
    readableStreamBody,
  } = await blob.download(offset, count, {
    maxRetryRequests: DOWNLOAD_RESUMES,
    ...(ifMatch === undefined ? {} : { conditions: { ifMatch } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  });
  const body = readableStreamBody as Readable;
  // An error event without a listener would terminate the process before the body is read. The reader gets the error
  // anyway.
  body.on('error', () => undefined);
  return { etag, bytes, body };
}

/**
 * Yields the pieces of a streamed download.
 * @throws RestError without a status if the body breaks off or stops each time
 */
export async function* downloadedPieces(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw asOutage(error);
  }
}

/**
 * If the SDK resumes a download without success, it throws a plain Error ("Data corruption failure", or an own time
 * limit). If that were taken for an error of the chunk, it would count as a start that killed its process.
 */
function asOutage(error: unknown): unknown {
  if (statusOf(error) !== undefined || isOutage(error) || !(error instanceof Error)) return error;
  const outage = new RestError(`The body of a download broke off: ${error.message}`, { code: 'ECONNRESET' });
  outage.cause = error;
  return outage;
}
