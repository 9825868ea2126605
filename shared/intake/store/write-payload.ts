/**
 * Writes a payload while its upload arrives. Memory holds the chunks that are being compressed (IN_FLIGHT), one block that
 * is being staged, and one that is being filled, and at most one segment of the index. Nothing is readable before the last call, which is create-only.
 */
import { digestOf, encodeFrame } from '../../contract/frame.ts';
import { MAX_CHUNKS } from '../../contract/names.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import { IndexWriter } from '../../contract/payload-index-writer.ts';
import { isOutage, toError } from '../../errors.ts';
import { readAhead } from '../../parallel.ts';
import { log } from '../../telemetry/log.ts';
import type { RawChunk } from '../chunk-records.ts';
import { uploadTooLarge } from '../limits.ts';
import { BlockUpload, type PayloadBlob, type StagedBlocks } from './block-upload.ts';

const MiB = 1024 * 1024;
/** One chunk is compressed while the next is parsed; zstd level 1 is several times faster than the parser. */
const IN_FLIGHT = 2;

/** Prefix of the block ids of a payload that only one attempt writes. */
const ONLY_ATTEMPT = '0'.repeat(16);
/** When reading is interrupted, a checkpoint is written only after this part of the distance to the next one. */
const WORTH_KEEPING = 1 / 8;

/** The beginning of a payload: staged blocks, and the index of the chunks in them. */
export interface StagedPayload extends StagedBlocks {
  index: IndexWriter;
}

export interface PayloadCheckpoints {
  /** 16 random hex digits: attempts that write the same payload must not replace each other's blocks. */
  attempt: string;
  everyBytes: number;
  /** What an earlier attempt staged; the given chunks follow it. */
  resume?: StagedPayload | undefined;
  /** Writes a checkpoint at the end of `last`; everything up to there is staged. */
  save: (staged: StagedPayload, last: Pick<RawChunk, 'end'>) => Promise<void>;
}

export interface WritePayloadOptions {
  blob: PayloadBlob;
  chunks: AsyncIterable<RawChunk>;
  /** A block is staged when it reaches this size; a smaller payload is one Put. Default 4 MiB. */
  blockBytes?: number | undefined;
  /** Without checkpoints, an interrupted upload starts from the beginning. */
  checkpoints?: PayloadCheckpoints | undefined;
}

export interface StoredPayload {
  items: number;
  /** Records as NDJSON, before compression. */
  bytes: number;
  /** Size of the whole blob, including the index frame. */
  storedBytes: number;
  indexOffset: number;
  indexLength: number;
  chunks: number;
  indexEnd: Buffer;
}

/**
 * Stores each chunk as a zstd frame, in order, followed by the index frame. Errors of `chunks` are rethrown unchanged; then
 * nothing is visible in storage: there are only uncommitted blocks, which the service drops after a week. With
 * `checkpoints`, one is saved at intervals, and when an outage or an abort interrupts the reading.
 * @throws RestError with status 409 if the blob exists with other content.
 */
export async function writePayload(options: WritePayloadOptions): Promise<StoredPayload> {
  const { blob, chunks, blockBytes = 4 * MiB, checkpoints } = options;
  const { attempt = ONLY_ATTEMPT, resume } = checkpoints ?? {};
  const upload = new BlockUpload(blob, { blockBytes, attempt, resume });
  const index = resume?.index ?? new IndexWriter();
  const saver = checkpoints && createSaver(upload, index, checkpoints);
  try {
    try {
      for await (const { frame, raw } of readAhead(chunks, IN_FLIGHT, compress)) {
        if (index.chunks === MAX_CHUNKS)
          throw uploadTooLarge(`The upload has over ${MAX_CHUNKS} chunks.`, 'chunk.maxItems of its workload');
        index.add(toEntry(raw, frame, upload.size));
        await upload.append(frame);
        const segment = index.takeSegment(upload.size);
        if (segment) await upload.append(segment);
        await saver?.add(raw);
      }
    } catch (error) {
      if (isOutage(error)) await saver?.keep();
      throw error;
    }
    const indexOffset = upload.size;
    const indexEnd = index.end(indexOffset);
    await upload.append(indexEnd);
    await upload.commit(digestOf(indexEnd));
    const { items, recordBytes: bytes, chunks: count } = index;
    const written = { storedBytes: upload.size, indexOffset, indexLength: indexEnd.length, indexEnd };
    return { items, bytes, chunks: count, ...written };
  } finally {
    await upload.whenIdle();
  }
}

/** Decides when a checkpoint is due. */
function createSaver(upload: BlockUpload, index: IndexWriter, { everyBytes, save }: PayloadCheckpoints) {
  let last: ChunkFacts | undefined;
  let unsavedBytes = 0;
  const saveNow = async (): Promise<void> => {
    if (last === undefined) return;
    await save({ ...(await upload.stageAll()), index }, last);
    unsavedBytes = 0;
  };
  return {
    async add(chunk: ChunkFacts): Promise<void> {
      last = chunk;
      unsavedBytes += chunk.length;
      if (unsavedBytes >= everyBytes) await saveNow();
    },
    /** Saves a checkpoint after an interruption. A failure is only logged: it costs only time. */
    async keep(): Promise<void> {
      if (unsavedBytes < everyBytes * WORTH_KEEPING) return;
      try {
        await saveNow();
      } catch (error) {
        log.warn('checkpoint-not-saved', { error: toError(error) });
      }
    },
  };
}

/** The bytes of the chunk are not part of it: they are released after compression. */
interface CompressedChunk {
  raw: ChunkFacts;
  frame: Buffer;
}

type ChunkFacts = Omit<RawChunk, 'bytes' | 'release'> & { length: number };

async function compress({ bytes, release, ...rest }: RawChunk): Promise<CompressedChunk> {
  const { length } = bytes;
  const frame = await encodeFrame(bytes);
  release?.();
  return { raw: { ...rest, length }, frame };
}

const toEntry = ({ length: bytes, end: _end, ...rest }: ChunkFacts, frame: Buffer, offset: number): ChunkEntry => ({
  offset,
  length: frame.length,
  bytes,
  ...rest,
  digest: digestOf(frame),
});
