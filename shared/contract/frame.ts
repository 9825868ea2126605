/**
 * The frame format: all stored data is written as zstd frames (RFC 8878). Data that must not appear in a plain decompression
 * is in a *skippable* frame. Frames are read by offset and length and decoded one by one: Node's zstd decoder stops silently
 * after the first frame (nodejs/node#64741), and in Node 22 it returns no bytes and no error for a truncated frame.
 */
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  constants,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { FrameError } from './errors.ts';

const SKIPPABLE_MAGIC = 0x184d2a50;
/** Number of bytes that a skippable frame adds before its payload. */
export const SKIPPABLE_OVERHEAD = 8;
/** Level 1: 812 MB/s at ratio 11.7 on the model data. Level 3 reaches only 525 MB/s and compresses little better. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };
const compressAsync = promisify(zstdCompress);
const decompressAsync = promisify(zstdDecompress);
/**
 * Upper bound for what ZSTD_compressBound adds to incompressible input, besides 1/256 of its length, and for the frame header.
 */
const OUTPUT_MARGIN = 1_024;
/** Limits the memory that is allocated at a time, even if a larger length is claimed. */
const MAX_OUTPUT_AT_ONCE = 4 * 1024 * 1024;
const OUTPUT_BYTES = { min: 16 * 1024, max: 256 * 1024 };

/**
 * Compresses `bytes` into one zstd frame on the thread pool. Each filled output buffer costs a round trip to the pool and a
 * copy: with the default of 16 KiB in Node, a chunk of 1 MiB needs seven. Records compress 5 to 30 times, so a buffer of a
 * quarter of their size is sufficient. The frame is copied; otherwise it would keep the whole output buffer in memory.
 */
export async function encodeFrame(bytes: Uint8Array): Promise<Buffer> {
  const chunkSize = Math.min(Math.max(OUTPUT_BYTES.min, bytes.length >>> 2), OUTPUT_BYTES.max);
  return Buffer.from(await compressAsync(bytes, { ...options, chunkSize }));
}

/**
 * Compresses `bytes` into one zstd frame synchronously, for worker threads, which have nothing else to do. The output buffer
 * has room for all of it, so that zstd writes it in one pass: a sixth faster, with the same bytes.
 */
export const encodeFrameSync = (bytes: Uint8Array): Buffer =>
  zstdCompressSync(bytes, { ...options, chunkSize: bytes.length + (bytes.length >>> 8) + OUTPUT_MARGIN });

/** The expected values that `decodeFrame` checks: the decoded length in bytes, and the digest of the frame as stored. */
export interface FrameCheck {
  bytes: number;
  digest?: string;
}

/**
 * Decodes exactly one frame.
 * @throws FrameError if the frame is damaged or does not match `check`.
 */
export function decodeFrame(frame: Uint8Array, check: FrameCheck): Buffer {
  if (check.digest !== undefined && digestOf(frame) !== check.digest) {
    throw new FrameError(`Frame digest differs: expected ${check.digest}, got ${digestOf(frame)}.`);
  }
  const decoded = decodeAtMost(frame, check.bytes, Math.min(check.bytes, MAX_OUTPUT_AT_ONCE));
  if (decoded.length !== check.bytes) {
    throw new FrameError(`Frame length differs: expected ${check.bytes} bytes decoded, got ${decoded.length}.`);
  }
  return decoded;
}

/**
 * Decodes one frame of unknown decoded length. Node 22 returns no bytes and no error for a truncated frame, so the caller must
 * check the result.
 * @throws FrameError if the frame cannot be decoded or decodes to more than `maxBytes`.
 */
export const decodeFrameUpTo = (frame: Uint8Array, maxBytes: number): Buffer =>
  decodeAtMost(frame, maxBytes, OUTPUT_BYTES.min);

/** Decodes one large frame like `decodeFrameUpTo`, on the thread pool. */
export async function decodeLargeFrame(frame: Uint8Array, maxBytes: number): Promise<Buffer> {
  try {
    return await decompressAsync(frame, { maxOutputLength: maxBytes, chunkSize: OUTPUT_BYTES.max });
  } catch (error) {
    throw new FrameError('Frame cannot be decoded.', { cause: error });
  }
}

/**
 * Decodes one frame of any size while its pieces arrive, on the thread pool, in pieces of at most 256 KiB. As for
 * `decodeFrameUpTo`, the caller must check the result.
 * @throws FrameError if the frame cannot be decoded, and what the source throws.
 */
export async function* decodePieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const decoder = createZstdDecompress({ chunkSize: OUTPUT_BYTES.max });
  const input = Readable.from(source);
  // The loop below throws the same errors.
  pipeline(input, decoder, () => undefined);
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    throw input.errored ?? new FrameError('Frame cannot be decoded.', { cause: error });
  }
}

/** `outputBytes` is the size of an output buffer. Each further buffer costs a call, and all buffers are copied into one. */
function decodeAtMost(frame: Uint8Array, maxBytes: number, outputBytes: number): Buffer {
  const chunkSize = Math.max(outputBytes, constants.Z_MIN_CHUNK);
  try {
    return zstdDecompressSync(frame, { maxOutputLength: Math.max(maxBytes, 1), chunkSize });
  } catch (error) {
    throw new FrameError('Frame cannot be decoded.', { cause: error });
  }
}

/** `sha256:<hex>` of the bytes as stored: ten times fewer than the decoded bytes, and all that can be damaged in storage. */
export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Wraps a payload into a skippable frame, which every zstd decoder skips. */
export function skippableFrame(payload: Uint8Array): Buffer {
  const header = Buffer.alloc(SKIPPABLE_OVERHEAD);
  header.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  header.writeUInt32LE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

/**
 * Returns the payload of a skippable frame.
 * @throws FrameError if `frame` is not exactly one skippable frame.
 */
export function skippablePayload(frame: Uint8Array): Buffer {
  const buffer = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const whole = buffer.length >= SKIPPABLE_OVERHEAD && isSkippableMagic(buffer.readUInt32LE(0));
  if (!whole || buffer.readUInt32LE(4) !== buffer.length - SKIPPABLE_OVERHEAD) {
    throw new FrameError(`Expected one skippable frame, got ${buffer.length} bytes of something else.`);
  }
  return buffer.subarray(SKIPPABLE_OVERHEAD);
}

/** Whether a little-endian magic number starts a skippable frame (16 numbers are reserved for them). */
export const isSkippableMagic = (magic: number): boolean => magic >>> 4 === SKIPPABLE_MAGIC >>> 4;
