import { Readable } from 'node:stream';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { serviceError } from '../data/factories.ts';

/** A blob that is visible. */
export interface MemoryBlob {
  body: Buffer;
  metadata: Record<string, string>;
  etag?: string;
  lastModified?: Date;
}

/** Blobs by `container/name`. */
export interface MemoryBlobs {
  container: (name: string) => ContainerClient;
  blobs: Map<string, MemoryBlob>;
  /** Puts a blob, and returns it as a listing would. */
  put: (container: string, name: string, body: string | Buffer, metadata?: Record<string, string>) => BlobItem;
  /** Bytes that were downloaded as streams, by path. */
  downloaded: Map<string, number>;
  /** Drops the uncommitted blocks, as the service does after a week. */
  dropStaged: () => void;
}

interface Conditions {
  ifNoneMatch?: string;
  ifMatch?: string;
}

interface WriteOptions {
  conditions?: Conditions;
  metadata?: Record<string, string>;
}

interface ReadOptions {
  conditions?: Conditions;
  abortSignal?: AbortSignal;
}

interface CopyOptions {
  metadata?: Record<string, string>;
  sourceConditions?: Conditions;
}

/** Bytes that a streamed download delivers at a time. */
const PIECE_BYTES = 4 * 1024;

/**
 * Containers in memory with the conditions, ETags and staged blocks of the service, as far as the code uses them. `now`
 * provides the dates of writes; defaults to the clock.
 */
export function memoryBlobs({ now = Date.now }: { now?: () => number } = {}): MemoryBlobs {
  const blobs: MemoryBlobs['blobs'] = new Map();
  const staged = new Map<string, Map<string, Buffer>>();
  const downloaded = new Map<string, number>();
  let versions = 0;

  const write = (path: string, body: Uint8Array, { conditions = {}, metadata = {} }: WriteOptions = {}) => {
    const found = blobs.get(path);
    if (conditions.ifNoneMatch === '*' && found) throw serviceError(409);
    if (conditions.ifMatch !== undefined && conditions.ifMatch !== found?.etag) throw serviceError(412);
    versions += 1;
    const etag = `"0x${versions}"`;
    staged.delete(path);
    blobs.set(path, { body: Buffer.from(body), metadata, etag, lastModified: new Date(now()) });
    return { etag };
  };
  const read = (path: string, { ifMatch }: Conditions = {}): Required<MemoryBlob> => {
    const found = blobs.get(path);
    if (!found) throw serviceError(404);
    const blob = { etag: '"0x0"', lastModified: new Date(0), ...found };
    if (ifMatch !== undefined && ifMatch !== blob.etag) throw serviceError(412);
    return blob;
  };
  const remove = (path: string, conditions?: Conditions): void => {
    read(path, conditions);
    blobs.delete(path);
  };
  const commit = (path: string, ids: readonly string[], options?: WriteOptions) => {
    const blocks = ids.map((id) => staged.get(path)?.get(id));
    // The service checks the conditions first.
    if (options?.conditions?.ifNoneMatch === '*' && blobs.has(path)) throw serviceError(409);
    if (blocks.includes(undefined)) throw serviceError(400, 'InvalidBlockList');
    return write(path, Buffer.concat(blocks as Buffer[]), options);
  };
  const stage = (path: string, id: string, body: Uint8Array): void => {
    const blocks = staged.get(path) ?? new Map<string, Buffer>();
    if ([...blocks.keys()].some((other) => other.length !== id.length)) throw serviceError(400, 'InvalidBlobOrBlock');
    staged.set(path, blocks.set(id, Buffer.from(body)));
  };
  const stream = async function* (path: string, body: Buffer, signal?: AbortSignal): AsyncGenerator<Buffer> {
    for (let start = 0; start < body.length; start += PIECE_BYTES) {
      signal?.throwIfAborted();
      const piece = body.subarray(start, start + PIECE_BYTES);
      downloaded.set(path, (downloaded.get(path) ?? 0) + piece.length);
      yield piece;
    }
  };
  const clientOf = (path: string) => ({
    url: `memory:${path}`,
    upload: async (body: Uint8Array, _length: number, options?: WriteOptions) => write(path, body, options),
    stageBlock: async (id: string, body: Uint8Array) => stage(path, id, body),
    commitBlockList: async (ids: readonly string[], options?: WriteOptions) => commit(path, ids, options),
    getProperties: async () => {
      const { body, ...rest } = read(path);
      return { ...rest, contentLength: body.length, copyStatus: 'success' };
    },
    downloadToBuffer: async (offset = 0, length?: number, { conditions }: WriteOptions = {}) => {
      const { body } = read(path, conditions);
      if (offset > 0 && offset >= body.length) throw serviceError(416);
      return Buffer.from(body.subarray(offset, length === undefined ? undefined : offset + length));
    },
    download: async (offset = 0, count?: number, { conditions, abortSignal }: ReadOptions = {}) => {
      const { body, etag } = read(path, conditions);
      const range = body.subarray(offset, count === undefined ? undefined : offset + count);
      if (offset > 0 && offset >= body.length) throw serviceError(416);
      return {
        ...{ etag, contentLength: range.length },
        readableStreamBody: Readable.from(stream(path, range, abortSignal), { highWaterMark: 1 }),
      };
    },
    beginCopyFromURL: async (url: string, { metadata, sourceConditions }: CopyOptions = {}) => {
      write(path, read(url.slice('memory:'.length), sourceConditions).body, metadata === undefined ? {} : { metadata });
      return { isDone: () => true };
    },
    delete: async ({ conditions }: WriteOptions = {}) => remove(path, conditions),
    deleteIfExists: async ({ conditions }: WriteOptions = {}) => {
      if (blobs.has(path)) remove(path, conditions);
    },
  });
  const itemOf = (container: string, path: string): BlobItem => {
    const { body, metadata, etag, lastModified } = read(path);
    const name = path.slice(container.length + 1);
    const properties = { etag: etag.replaceAll('"', ''), lastModified, contentLength: body.length };
    return { name, deleted: false, snapshot: '', metadata, properties: { ...properties, blobType: 'BlockBlob' } };
  };
  const container = (name: string): ContainerClient => {
    const blobOf = (blob: string) => clientOf(`${name}/${blob}`);
    const client = {
      getBlockBlobClient: blobOf,
      getBlobClient: blobOf,
      deleteBlob: async (blob: string, { conditions }: WriteOptions = {}) => remove(`${name}/${blob}`, conditions),
      async *listBlobsFlat({ prefix = '' }: { prefix?: string } = {}) {
        const paths = [...blobs.keys()].filter((path) => path.startsWith(`${name}/${prefix}`)).toSorted();
        for (const path of paths) if (blobs.has(path)) yield itemOf(name, path);
      },
    };
    return client as unknown as ContainerClient;
  };
  return {
    container,
    blobs,
    put: (inContainer, name, body, metadata = {}) => {
      write(`${inContainer}/${name}`, Buffer.from(body), { metadata });
      return itemOf(inContainer, `${inContainer}/${name}`);
    },
    downloaded,
    dropStaged: () => staged.clear(),
  };
}
