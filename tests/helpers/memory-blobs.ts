import type { ContainerClient } from '@azure/storage-blob';
import { serviceError } from './factories.ts';

/** Blobs by `container/name`. */
export interface MemoryBlobs {
  container: (name: string) => ContainerClient;
  blobs: Map<string, { body: Buffer; metadata: Record<string, string> }>;
}

interface UploadOptions {
  conditions?: { ifNoneMatch?: string };
  metadata?: Record<string, string>;
}

/** Containers in memory: create-only uploads, metadata and reads by range, as the code uses them. */
export function memoryBlobs(): MemoryBlobs {
  const blobs: MemoryBlobs['blobs'] = new Map();
  const clientOf = (path: string) => ({
    upload: async (body: Uint8Array, _length: number, { conditions, metadata = {} }: UploadOptions = {}) => {
      if (conditions?.ifNoneMatch === '*' && blobs.has(path)) throw serviceError(409);
      blobs.set(path, { body: Buffer.from(body), metadata });
    },
    getProperties: async () => {
      const blob = blobs.get(path);
      if (!blob) throw serviceError(404);
      return { metadata: blob.metadata, contentLength: blob.body.length };
    },
    downloadToBuffer: async (offset = 0, length?: number) => {
      const blob = blobs.get(path);
      if (!blob) throw serviceError(404);
      if (offset >= blob.body.length) throw serviceError(416);
      return blob.body.subarray(offset, length === undefined ? undefined : offset + length);
    },
  });
  const container = (name: string): ContainerClient => {
    const blobOf = (blob: string) => clientOf(`${name}/${blob}`);
    return { getBlockBlobClient: blobOf, getBlobClient: blobOf } as unknown as ContainerClient;
  };
  return { container, blobs };
}
