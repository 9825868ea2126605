import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { blobProperties } from '../../storage/blob-reads.ts';
import { unquoted } from './inbox-move.ts';

/** Reads a blob as an item of a listing; undefined if it does not exist. */
export async function findItem(container: ContainerClient, name: string): Promise<BlobItem | undefined> {
  const found = await blobProperties(container.getBlobClient(name));
  if (found === undefined) return undefined;
  const { etag = '', lastModified = new Date(0), contentLength = 0, blobType, metadata = {} } = found;
  const properties = { etag: unquoted(etag), lastModified, contentLength, ...(blobType && { blobType }) };
  return { name, deleted: false, snapshot: '', properties, metadata };
}
