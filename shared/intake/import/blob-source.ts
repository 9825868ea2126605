import type { BlobClient } from '@azure/storage-blob';
import { errorCodeOf, statusOf } from '../../errors.ts';
import { downloadedPieces, openDownload } from '../../storage/blob-reads.ts';
import { type OpenSource, SourceChangedError, strongEtag, unreadable } from './source.ts';

/** Creates a source that reads a blob of the app's own storage account. */
export const blobSource =
  (blob: BlobClient): OpenSource =>
  async ({ offset, etag: expected }, signal) => {
    try {
      const { etag, bytes, body } = await openDownload(blob, { offset, ifMatch: expected, signal });
      const close = (): void => void body.destroy();
      return { offset, etag: strongEtag(etag), bytes: offset + bytes, body: downloadedPieces(body), close };
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
