/**
 * Writes a payload while its upload comes in. What is held in memory: the chunks being compressed (IN_FLIGHT), one
 * block on its way to storage and one filling up. Nothing of it can be read before the last call, which is create-only.
 */
import { digestOf, encodeFrame } from '../../contract/frame.ts';
import { MAX_CHUNKS } from '../../contract/names.ts';
import { type ChunkEntry, encodeIndex } from '../../contract/payload-index.ts';
import { isOutage, toError } from '../../errors.ts';
import { log } from '../../telemetry/log.ts';
import type { RawChunk } from '../chunk-records.ts';
import { uploadTooLarge } from '../limits.ts';
import { BlockUpload, type PayloadBlob, type StagedBlocks } from './block-upload.ts';

const MiB = 1024 * 1024;
/** One chunk is compressed while the next is parsed; zstd level 1 is several times faster than the parser. */
const IN_FLIGHT = 2;

/** Block ids of a payload that only one attempt writes. */
const ONLY_ATTEMPT = '0'.repeat(16);
/** What is less than this part of the way to the next checkpoint is not worth one when reading breaks off. */
const WORTH_KEEPING = 1 / 8;

/** The beginning of a payload: blocks that are staged, and the chunks in them. */
export interface StagedPayload extends StagedBlocks {
  chunks: ChunkEntry[];
}

/** When and how checkpoints of a resumable upload are written. */
export interface PayloadCheckpoints {
  /** 16 random hex digits: attempts that write one payload must not replace each other's blocks. */
  attempt: string;
  /** Records, in bytes, from one checkpoint to the next. */
  everyBytes: number;
  /** What an earlier attempt has staged; the chunks that are given follow it. */
  resume?: StagedPayload | undefined;
  /** Writes a checkpoint at the end of `last`, up to which everything is staged. */
  save: (staged: StagedPayload, last: Pick<RawChunk, 'end'>) => Promise<void>;
}

/** What to write, and where. */
export interface WritePayloadOptions {
  blob: PayloadBlob;
  chunks: AsyncIterable<RawChunk>;
  signal?: AbortSignal;
  /** A block is staged when it has grown to this; a payload below it is one Put. Default 4 MiB. */
  blockBytes?: number;
  /** Default: what is not finished is begun anew. */
  checkpoints?: PayloadCheckpoints | undefined;
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
 * unchanged, and then nothing is visible in storage: only uncommitted blocks, which the service drops after a week. With
 * `checkpoints`, one is saved every so often, and when reading breaks off by an outage or because it is aborted.
 * @throws RestError of status 409 when the blob exists with other content; AbortError when `signal` aborts.
 */
export async function writePayload(options: WritePayloadOptions): Promise<StoredPayload> {
  const { blob, chunks, signal, blockBytes = 4 * MiB, checkpoints } = options;
  const { attempt = ONLY_ATTEMPT, resume } = checkpoints ?? {};
  const upload = new BlockUpload(blob, { blockBytes, signal, attempt, resume });
  const entries: ChunkEntry[] = [...(resume?.chunks ?? [])];
  const saver = new Saver(upload, entries, checkpoints);
  try {
    try {
      for await (const { frame, raw } of compressed(chunks)) {
        signal?.throwIfAborted();
        if (entries.length === MAX_CHUNKS)
          throw uploadTooLarge(`The upload has over ${MAX_CHUNKS} chunks.`, 'chunk.maxItems of its workload');
        entries.push(toEntry(raw, frame, upload.size));
        await upload.append(frame);
        await saver.add(raw);
      }
    } catch (error) {
      if (isOutage(error)) await saver.keep();
      throw error;
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

/** Decides when a checkpoint is due. */
class Saver {
  readonly #upload: BlockUpload;
  readonly #entries: ChunkEntry[];
  readonly #checkpoints: PayloadCheckpoints | undefined;
  #last: ChunkFacts | undefined;
  #unsavedBytes = 0;

  constructor(upload: BlockUpload, entries: ChunkEntry[], checkpoints: PayloadCheckpoints | undefined) {
    this.#upload = upload;
    this.#entries = entries;
    this.#checkpoints = checkpoints;
  }

  async add(chunk: ChunkFacts): Promise<void> {
    this.#last = chunk;
    this.#unsavedBytes += chunk.length;
    if (this.#unsavedBytes >= (this.#checkpoints?.everyBytes ?? Number.POSITIVE_INFINITY)) await this.#save();
  }

  /** What broke off the reading is what matters: a checkpoint that cannot be saved costs time only. */
  async keep(): Promise<void> {
    const worthBytes = (this.#checkpoints?.everyBytes ?? Number.POSITIVE_INFINITY) * WORTH_KEEPING;
    if (this.#unsavedBytes < worthBytes) return;
    try {
      await this.#save();
    } catch (error) {
      log.warn('checkpoint-not-saved', { error: toError(error) });
    }
  }

  async #save(): Promise<void> {
    if (this.#last === undefined) return;
    const staged = await this.#upload.stageAll();
    await this.#checkpoints?.save({ ...staged, chunks: this.#entries }, this.#last);
    this.#unsavedBytes = 0;
  }
}

/** The chunk's bytes are released as soon as they are compressed: entries live as long as the batch is written. */
interface CompressedChunk {
  raw: ChunkFacts;
  frame: Buffer;
}

type ChunkFacts = Omit<RawChunk, 'bytes' | 'release'> & { length: number };

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

async function compress({ bytes, release, ...rest }: RawChunk): Promise<CompressedChunk> {
  const { length } = bytes;
  const frame = await encodeFrame(bytes);
  release?.();
  return { raw: { ...rest, length }, frame };
}

/** A promise that is awaited later: until then its failure must not count as unhandled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

const toEntry = ({ length: bytes, end: _end, ...rest }: ChunkFacts, frame: Buffer, offset: number): ChunkEntry => ({
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
