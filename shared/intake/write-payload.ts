/**
 * Writes a payload while its upload comes in. What is held in memory: the chunks being compressed (IN_FLIGHT), one
 * block on its way to storage and one filling up. Nothing of it can be read before the last call, which is create-only.
 */
import { digestOf, encodeFrame } from '../contract/frame.ts';
import { type ChunkEntry, encodeIndex } from '../contract/payload-index.ts';
import { BlockUpload, type PayloadBlob } from './block-upload.ts';
import type { RawChunk } from './chunk-records.ts';

const MiB = 1024 * 1024;
/** One chunk is compressed while the next is parsed; zstd level 1 is several times faster than the parser. */
const IN_FLIGHT = 2;

export type { PayloadBlob };

/** What to write, and where. */
export interface WritePayloadOptions {
  blob: PayloadBlob;
  chunks: AsyncIterable<RawChunk>;
  signal?: AbortSignal;
  /** A block is staged when it has grown to this; a payload below it is one Put. Default 4 MiB. */
  blockBytes?: number;
}

/** A written payload. */
export interface StoredPayload {
  items: number;
  /** Records as NDJSON, before compression. */
  bytes: number;
  /** The whole blob, index frame included. */
  storedBytes: number;
  indexOffset: number;
  indexLength: number;
  chunks: ChunkEntry[];
}

/**
 * Stores chunks as a zstd frame each, in their order, followed by the index frame. Whatever `chunks` throws comes out
 * unchanged, and then nothing is visible in storage: only uncommitted blocks, which the service drops after a week.
 * @throws RestError of status 409 when the blob exists with other content; AbortError when `signal` aborts.
 */
export async function writePayload(options: WritePayloadOptions): Promise<StoredPayload> {
  const { blob, chunks, signal, blockBytes = 4 * MiB } = options;
  const upload = new BlockUpload(blob, blockBytes, signal);
  const entries: ChunkEntry[] = [];
  try {
    for await (const { frame, raw } of compressed(chunks)) {
      signal?.throwIfAborted();
      entries.push(toEntry(raw, frame, upload.size));
      await upload.append(frame);
    }
    const indexOffset = upload.size;
    const index = await encodeIndex(entries);
    await upload.append(index);
    await upload.finish(digestOf(index));
    return { ...totals(entries), storedBytes: upload.size, indexOffset, indexLength: index.length, chunks: entries };
  } finally {
    await upload.whenIdle();
  }
}

/** The chunk's bytes are let go as soon as they are compressed: entries live as long as the batch is written. */
interface CompressedChunk {
  raw: Omit<RawChunk, 'bytes' | 'end'> & { length: number };
  frame: Buffer;
}

async function* compressed(chunks: AsyncIterable<RawChunk>): AsyncGenerator<CompressedChunk> {
  const inFlight: Promise<CompressedChunk>[] = [];
  try {
    for await (const chunk of chunks) {
      inFlight.push(handled(compress(chunk)));
      const first = inFlight.length >= IN_FLIGHT ? inFlight.shift() : undefined;
      if (first) yield await first;
    }
    for (let next = inFlight.shift(); next; next = inFlight.shift()) yield await next;
  } finally {
    await Promise.allSettled(inFlight);
  }
}

async function compress({ bytes, end: _end, ...rest }: RawChunk): Promise<CompressedChunk> {
  return { raw: { ...rest, length: bytes.length }, frame: await encodeFrame(bytes) };
}

/** A promise that is awaited later: until then its failure must not count as unhandled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

const toEntry = ({ length: bytes, ...rest }: CompressedChunk['raw'], frame: Buffer, offset: number): ChunkEntry => ({
  offset,
  length: frame.length,
  bytes,
  ...rest,
  digest: digestOf(frame),
});

const totals = (entries: readonly ChunkEntry[]): { items: number; bytes: number } => ({
  items: entries.reduce((sum, entry) => sum + entry.items, 0),
  bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
});
