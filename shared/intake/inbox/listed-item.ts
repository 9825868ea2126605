import type { BlobGetPropertiesResponse, BlobItem } from '@azure/storage-blob';
import { unquoted } from './inbox-move.ts';

/** Creates the item of a listing from the properties of a blob. */
export const listedItem = (
  name: string,
  { etag = '', lastModified = new Date(0), contentLength = 0, blobType, metadata = {} }: Listed,
): BlobItem => ({
  name,
  deleted: false,
  snapshot: '',
  properties: { etag: unquoted(etag), lastModified, contentLength, ...(blobType === undefined ? {} : { blobType }) },
  metadata,
});

type Listed = Pick<BlobGetPropertiesResponse, 'etag' | 'lastModified' | 'contentLength' | 'blobType' | 'metadata'>;
