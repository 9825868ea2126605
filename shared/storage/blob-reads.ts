/** Reading blobs: a body that breaks off is an outage, whatever the SDK makes of it. */
import type { Readable } from 'node:stream';
import {
  type BlobClient,
  type BlobDownloadToBufferOptions,
  type BlobGetPropertiesResponse,
  RestError,
} from '@azure/storage-blob';
import { isOutage, statusOf } from '../errors.ts';
import { DOWNLOAD_RESUMES } from './policies/retry-limits.ts';

/** The properties of a blob; undefined when it is not there. */
export async function blobProperties(
  blob: Pick<BlobClient, 'getProperties'>,
): Promise<BlobGetPropertiesResponse | undefined> {
  try {
    return await blob.getProperties();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

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

/** A part of a blob. */
interface DownloadRange {
  /** Default 0. */
  offset?: number;
  /** Default to the end. */
  count?: number;
  /** Refuses another version with 412. */
  ifMatch?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a streamed download, for `downloadedPieces`; `bytes` is its length. A `body` that is not read to its end has to be
 * destroyed.
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
  // Until somebody reads it, an error that nobody hears would end the process; whoever reads meets it anyway.
  body.on('error', () => undefined);
  return { etag, bytes, body };
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
 * The SDK ends a download that it has resumed without success with a plain Error ("Data corruption failure", or a time limit of its
 * own). Taken for a fault of the chunk, it would count as a start that killed its process.
 */
function asOutage(error: unknown): unknown {
  if (statusOf(error) !== undefined || isOutage(error) || !(error instanceof Error)) return error;
  const outage = new RestError(`The body of a download broke off: ${error.message}`, { code: 'ECONNRESET' });
  outage.cause = error;
  return outage;
}
