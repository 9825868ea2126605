import type { Readable } from 'node:stream';
import type { BlobClient } from '@azure/storage-blob';
import { errorCodeOf, statusOf } from '../../errors.ts';
import { downloadedPieces } from '../../storage/blob-reads.ts';
import { DOWNLOAD_RESUMES } from '../../storage/retry-limits.ts';
import { type OpenSource, SourceChangedError, strongEtag, unreadable } from './source.ts';

/** Makes the source of a blob of the app's own storage account. */
export const blobSource =
  (blob: BlobClient): OpenSource =>
  async ({ offset, etag: expected }, signal) => {
    try {
      const {
        etag,
        contentLength = 0,
        readableStreamBody,
      } = await blob.download(offset, undefined, {
        maxRetryRequests: DOWNLOAD_RESUMES,
        ...(expected === undefined ? {} : { conditions: { ifMatch: expected } }),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
      const body = readableStreamBody as Readable;
      // An error event without a listener would end the process. A reader gets the error in any case.
      body.on('error', () => undefined);
      const close = (): void => void body.destroy();
      return { offset, etag: strongEtag(etag), bytes: offset + contentLength, body: downloadedPieces(body), close };
    } catch (error) {
      throw faultOf(blob, error);
    }
  };

function faultOf({ containerName, name }: BlobClient, error: unknown): unknown {
  const status = statusOf(error) ?? 0;
  if (status === 412 || status === 416) return new SourceChangedError(`${containerName}/${name} has changed.`);
  if (status === 404) return unreadable(`There is no blob "${name}" in container "${containerName}".`, error);
  if (status === 409) return unreadable(`${containerName}/${name} cannot be read: ${errorCodeOf(error)}.`, error);
  return error;
}
