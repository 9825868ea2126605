/**
 * The one frame format: every piece of stored data is a zstd frame (RFC 8878), and what must not show up in a plain
 * decompression lies in a *skippable* frame. Frames are always read by offset and length and decoded one by one:
 * Node's zstd decoder stops silently after the first frame (nodejs/node#64741), and gives no bytes and no error for a
 * truncated one in Node 22.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { FrameError } from './errors.ts';

const SKIPPABLE_MAGIC = 0x184d2a50;
const SKIPPABLE_HEADER = 8;
/** Level 1: 812 MB/s at ratio 11.7 on the model data, against 525 MB/s at level 3 for little more. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };
const compressAsync = promisify(zstdCompress);
/** More than ZSTD_compressBound adds to an input without redundancy, beside a 256th of it, and than a frame's own bytes. */
const OUTPUT_MARGIN = 1_024;
/** Whatever length is promised, no more memory than this is taken at once. */
const MAX_OUTPUT_AT_ONCE = 4 * 1024 * 1024;
const OUTPUT_BYTES = { min: 16 * 1024, max: 256 * 1024 };

/**
 * Compresses `bytes` into one zstd frame on the thread pool. Each time that the output is full costs a trip there and back, and
 * a copy: with Node's 16 KiB, a chunk of 1 MiB makes seven. Records compress 5 to 30 times, so a quarter of their size is
 * enough. The frame is copied, for its buffer would stay as large as the output.
 */
export async function encodeFrame(bytes: Uint8Array): Promise<Buffer> {
  const chunkSize = Math.min(Math.max(OUTPUT_BYTES.min, bytes.length >>> 2), OUTPUT_BYTES.max);
  return Buffer.from(await compressAsync(bytes, { ...options, chunkSize }));
}

/**
 * Compresses `bytes` into one zstd frame at once; for worker threads, which have nothing else to do. The output has room for
 * all of it, so that zstd writes it in one pass: a sixth faster, and the same bytes.
 */
export const encodeFrameSync = (bytes: Uint8Array): Buffer =>
  zstdCompressSync(bytes, { ...options, chunkSize: bytes.length + (bytes.length >>> 8) + OUTPUT_MARGIN });

/** What `decodeFrame` checks: the decoded length in bytes, and the digest of the frame as stored. */
export interface FrameCheck {
  bytes: number;
  digest?: string;
}

/**
 * Decodes exactly one frame.
 * @throws FrameError when the digest, the decoded length or the frame itself is not what `check` promises.
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
 * Decodes one frame whose decoded length is not known before. Node 22 gives no bytes for a truncated frame, without an
 * error: what comes out must be checked by its reader.
 * @throws FrameError when the frame cannot be decoded or would give more than `maxBytes`.
 */
export const decodeFrameUpTo = (frame: Uint8Array, maxBytes: number): Buffer =>
  decodeAtMost(frame, maxBytes, OUTPUT_BYTES.min);

/** `outputBytes` is how much is decoded at once: each further piece costs a call, and all pieces are copied into one. */
function decodeAtMost(frame: Uint8Array, maxBytes: number, outputBytes: number): Buffer {
  const chunkSize = Math.max(outputBytes, constants.Z_MIN_CHUNK);
  try {
    return zstdDecompressSync(frame, { maxOutputLength: Math.max(maxBytes, 1), chunkSize });
  } catch (error) {
    throw new FrameError('Frame cannot be decoded.', { cause: error });
  }
}

/** `sha256:<hex>` of the bytes as stored: ten times fewer than the decoded ones, and it covers all that can rot. */
export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Wraps a payload into a skippable frame, which every zstd decoder passes over. */
export function skippableFrame(payload: Uint8Array): Buffer {
  const header = Buffer.alloc(SKIPPABLE_HEADER);
  header.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  header.writeUInt32LE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

/**
 * The payload of a skippable frame.
 * @throws FrameError when `frame` is not exactly one skippable frame.
 */
export function skippablePayload(frame: Uint8Array): Buffer {
  const buffer = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const whole = buffer.length >= SKIPPABLE_HEADER && isSkippableMagic(buffer.readUInt32LE(0));
  if (!whole || buffer.readUInt32LE(4) !== buffer.length - SKIPPABLE_HEADER) {
    throw new FrameError(`Expected one skippable frame, got ${buffer.length} bytes of something else.`);
  }
  return buffer.subarray(SKIPPABLE_HEADER);
}

/** Bytes that a skippable frame adds before its payload. */
export const SKIPPABLE_OVERHEAD = SKIPPABLE_HEADER;

/** Whether a little-endian magic number opens a skippable frame (16 numbers are reserved for them). */
export const isSkippableMagic = (magic: number): boolean => magic >>> 4 === SKIPPABLE_MAGIC >>> 4;
